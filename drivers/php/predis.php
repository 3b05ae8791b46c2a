<?php
/** Predis with its own Sentinel replication. */
declare(strict_types=1);

require __DIR__ . '/run.php';
require 'Predis/autoload.php';

use Predis\Connection\Parameters;

final class PredisDriver
{
    private Predis\Client $client;

    public function __construct(private array $task)
    {
        $isBest = $task['variant'] === 'best';
        $tls = $task['tls'] === null ? [] : ['scheme' => 'tls', 'ssl' => tlsContext($task['tls'])];
        $node = ['username' => $task['username'], 'password' => $task['password']] + $tls;
        if ($isBest) {
            $node += ['timeout' => 1.0, 'read_write_timeout' => 2.0];
        }
        $this->client = new Predis\Client(
            array_map(fn (array $sentinel) => $this->sentinel($sentinel + $tls), $task['sentinels']),
            [
                'replication' => 'sentinel',
                'service' => $task['masterName'],
                'parameters' => array_filter($node, fn ($value) => $value !== null),
            ],
        );
        if ($isBest) {
            // By default it sends a command again, up to 20 times, a second apart; and it forgets a Sentinel that failed.
            $this->client->getConnection()->setRetryLimit(0);
            $this->client->getConnection()->setUpdateSentinels($task['sentinelPassword'] === null && $tls === []);
        }
    }

    /** Predis 1 sends Sentinels no password, unless they are given as an object of this class. */
    private function sentinel(array $address): array|Parameters
    {
        ['sentinelUsername' => $username, 'sentinelPassword' => $password] = $this->task;
        if ($password === null) {
            return $address;
        }
        $login = array_filter(['username' => $username, 'password' => $password], fn ($value) => $value !== null);
        return new Parameters($address + $login + ['timeout' => 0.1]);
    }

    public function connect(): void
    {
        // PING could go to a replica.
        $this->client->getConnection()->switchToMaster();
    }

    public function write(string $key, string $value): int
    {
        $this->task['command'] === 'SET' ? $this->client->set($key, $value) : $this->client->append($key, $value);
        if ($this->task['wait'] === null) {
            return -1;
        }
        return NotConfirmed::around(function (): int {
            ['replicas' => $replicas, 'timeoutMs' => $timeoutMs] = $this->task['wait'];
            $answer = $this->client->executeRaw(['WAIT', $replicas, $timeoutMs], $isError);
            return $isError ? throw new Predis\Response\ServerException($answer) : $answer;
        });
    }

    public function kind(Throwable $error): string
    {
        return match (true) {
            $error instanceof Predis\Response\ServerException => replyWord($error->getMessage()) ?? 'ERR',
            $error instanceof Predis\Replication\RoleException, $error instanceof Predis\ClientException => 'NOPRIMARY',
            // It says the same of a time-out and of a lost connection.
            $error instanceof Predis\CommunicationException => 'CLOSED',
            default => 'OTHER',
        };
    }
}

run(
    ['defaults', 'best'],
    fn (array $task) => new PredisDriver($task),
    fn (array $task) => ['library' => 'Predis', 'version' => Predis\Client::VERSION, 'wait' => 'same-connection', 'pipeline' => false],
);
