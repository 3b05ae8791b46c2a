<?php
/**
 * phpredis. It has a class to ask a Sentinel for the address of the primary, and nothing that follows a failover. So this driver
 * does by hand what its users do: it asks the Sentinels, connects, and asks again after an exception.
 */
declare(strict_types=1);

require __DIR__ . '/run.php';

final class NoPrimary extends Exception
{
}

final class PhpRedis
{
    private ?Redis $redis = null;

    public function __construct(private array $task)
    {
    }

    public function connect(): void
    {
        [$host, $port] = $this->askSentinels();
        $isBest = $this->task['variant'] === 'best';
        $tls = $this->task['tls'];
        $redis = new Redis();
        // Without time-outs it waits for a connection without end, and for an answer as long as default_socket_timeout: 60 s.
        [$connectSeconds, $readSeconds] = $isBest ? [1.0, 2.0] : [0.0, 0.0];
        $context = $tls === null ? [] : ['stream' => tlsContext($tls)];
        $redis->connect(($tls === null ? '' : 'tls://') . $host, (int) $port, $connectSeconds, null, 0, $readSeconds, $context);
        $login = loginOf($this->task['username'], $this->task['password']);
        if ($login !== null) {
            $redis->auth($login);
        }
        if ($isBest) {
            // Otherwise it connects to the same address again, up to 10 times.
            $redis->setOption(Redis::OPT_MAX_RETRIES, 0);
        }
        $redis->ping();
        $this->redis = $redis;
    }

    public function write(string $key, string $value): int
    {
        try {
            if ($this->redis === null || $this->task['variant'] === 'each-request') {
                $this->connect();
            }
            return $this->writeTo($this->redis, $key, $value);
        } catch (Throwable $error) {
            $this->redis = null; // The next write asks the Sentinels.
            throw $error;
        }
    }

    private function writeTo(Redis $redis, string $key, string $value): int
    {
        $redis->clearLastError();
        $answer = $this->task['command'] === 'SET' ? $redis->set($key, $value) : $redis->append($key, $value);
        if ($answer === false) {
            throw new RedisException($redis->getLastError() ?? 'no answer');
        }
        if ($this->task['wait'] === null) {
            return -1;
        }
        return NotConfirmed::around(function () use ($redis): int {
            $count = $redis->wait($this->task['wait']['replicas'], $this->task['wait']['timeoutMs']);
            return is_int($count) ? $count : throw new RedisException($redis->getLastError() ?? 'no answer');
        });
    }

    /** @return array{string, string} host, port */
    private function askSentinels(): array
    {
        foreach ($this->task['sentinels'] as ['host' => $host, 'port' => $port]) {
            try {
                $address = $this->askSentinel($host, $port);
                if (is_array($address)) {
                    return $address;
                }
            } catch (RedisException) {
                continue; // the next one
            }
        }
        throw new NoPrimary('no Sentinel names a primary');
    }

    private function askSentinel(string $host, int $port): array|false
    {
        $seconds = $this->task['variant'] === 'best' ? 1.0 : 0.0;
        $login = loginOf($this->task['sentinelUsername'], $this->task['sentinelPassword']);
        if ($this->task['tls'] === null) {
            // An extra null would be sent as a password.
            $auth = $login === null ? [] : [$login];
            $sentinel = new RedisSentinel($host, $port, $seconds, null, 0, $seconds, ...$auth);
            return $sentinel->getMasterAddrByName($this->task['masterName']);
        }
        // RedisSentinel of phpredis 5 takes no certificates.
        $sentinel = new Redis();
        $sentinel->connect("tls://$host", $port, $seconds, null, 0, $seconds, ['stream' => tlsContext($this->task['tls'])]);
        if ($login !== null) {
            $sentinel->auth($login);
        }
        return $sentinel->rawCommand('SENTINEL', 'get-master-addr-by-name', $this->task['masterName']);
    }

    public function kind(Throwable $error): string
    {
        return match (true) {
            $error instanceof NoPrimary => 'NOPRIMARY',
            !$error instanceof RedisException => 'OTHER',
            // It says the same of a time-out and of a lost connection: read error.
            default => replyWord($error->getMessage()) ?? 'CLOSED',
        };
    }
}

function loginOf(?string $username, ?string $password): array|string|null
{
    return $username === null ? $password : [$username, $password];
}

run(
    ['defaults', 'best', 'each-request'],
    fn (array $task) => new PhpRedis($task),
    fn (array $task) => ['library' => 'phpredis', 'version' => phpversion('redis'), 'wait' => 'same-connection', 'pipeline' => false],
);
