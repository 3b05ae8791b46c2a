<?php
/**
 * The driver protocol for PHP, which docs/drivers.md describes.
 *
 * PHP has no threads, so this process keeps the schedule, and gives each write to one of several worker processes. A worker is
 * what a PHP process is to its web server: one process, one client, one write at a time.
 *
 * A driver gives an object with these methods:
 * - connect(): connects, or throws.
 * - write(string $key, string $value): int returns what WAIT counted, or -1 without WAIT. It throws the library's exception if
 *   the write failed, and NotConfirmed if the write is OK and its WAIT failed.
 * - kind(Throwable $error): string is the first word of an error reply, or what happened to the connection.
 */
declare(strict_types=1);

// Standard output belongs to the protocol. Debian's libraries are older than its PHP, which warns about them.
ini_set('display_errors', 'stderr');
ini_set('log_errors', '0');
error_reporting(E_ALL & ~E_DEPRECATED);

/** Error replies that say that nothing was written. */
const NOT_WRITTEN = ['NOAUTH', 'NOPERM', 'WRONGPASS', 'DENIED', 'OOM', 'MISCONF', 'NOREPLICAS', 'READONLY', 'MASTERDOWN',
    'LOADING', 'BUSY', 'EXECABORT', 'CLUSTERDOWN'];
const FIELDS = ['sentinels', 'masterName', 'wait', 'rate', 'concurrency', 'keyPrefix', 'valueSeed', 'valueFiller',
    'giveUpMs', 'drainMs'];
const CONNECT_SECONDS = 15;

/** The write is OK, and its WAIT failed. */
final class NotConfirmed extends Exception
{
    /** Around a WAIT: its error does not make the write unknown. */
    public static function around(callable $wait): int
    {
        try {
            return $wait();
        } catch (Throwable $error) {
            throw new NotConfirmed('WAIT failed', 0, $error);
        }
    }
}

/** The first word of an error reply, or null if the text is none. */
function replyWord(string $message): ?string
{
    return preg_match('/^([A-Z]{2,}) /', $message, $found) ? $found[1] : null;
}

function failed(int $status, string $sentence): never
{
    fwrite(STDERR, "$sentence\n");
    exit($status);
}

/** @param string[] $variants */
function readTask(array $variants): array
{
    $task = json_decode((string) fgets(STDIN), true);
    if (!is_array($task)) {
        failed(2, 'The task is not a JSON object.');
    }
    if (($task['protocol'] ?? null) !== 'sentinel-bench/driver@1') {
        failed(2, 'The task is of another protocol than sentinel-bench/driver@1.');
    }
    if (!in_array($task['variant'] ?? null, $variants, true)) {
        failed(2, 'The variants are ' . implode(', ', $variants) . '.');
    }
    foreach (FIELDS as $field) {
        if (!array_key_exists($field, $task)) {
            failed(2, "The task has no $field.");
        }
    }
    if (!in_array($task['command'] ?? null, ['SET', 'APPEND'], true)) {
        failed(2, 'The task names a command other than SET and APPEND.');
    }
    return $task;
}

/** The key and the value of a write. */
function pairOf(array $task, int $number): array
{
    $digits = sprintf('%012d', $number);
    $checksum = $task['valueSeed'];
    foreach (str_split($digits) as $digit) {
        $checksum = (($checksum ^ ord($digit)) * 16777619) & 0xFFFFFFFF;
    }
    return [$task['keyPrefix'] . $digits, sprintf('%s:%08x%s', $digits, $checksum, $task['valueFiller'])];
}

/** TLS as PHP's streams name it. */
function tlsContext(array $tls): array
{
    $context = ['cafile' => $tls['ca'], 'local_cert' => $tls['cert'], 'local_pk' => $tls['key'], 'peer_name' => $tls['serverName']];
    return array_filter($context, fn ($value) => $value !== null);
}

/** A worker: connects, then answers each number on its socket with the outcome of that write. */
function work(array $task, object $driver, $socket): never
{
    pcntl_signal(SIGTERM, SIG_IGN); // The parent ends its workers.
    $deadline = microtime(true) + CONNECT_SECONDS;
    for (;;) {
        try {
            $driver->connect();
            break;
        } catch (Throwable $error) {
            if (microtime(true) > $deadline) {
                fwrite($socket, 'failed ' . $driver->kind($error) . "\n");
                exit(4);
            }
            usleep(100_000);
        }
    }
    fwrite($socket, "connected\n");
    while (($line = fgets($socket)) !== false) {
        $number = (int) $line;
        $sent = hrtime(true);
        [$outcome, $count, $kind] = outcomeOf($task, $driver, $number);
        fwrite($socket, "$number $outcome $count $sent " . hrtime(true) . " $kind\n");
    }
    exit(0);
}

/** @return array{string, int, string} outcome, count, kind */
function outcomeOf(array $task, object $driver, int $number): array
{
    try {
        $count = $driver->write(...pairOf($task, $number));
        return [$task['wait'] === null || $count >= $task['wait']['replicas'] ? 'acked' : 'under-acked', $count, '-'];
    } catch (NotConfirmed $error) {
        return ['under-acked', -1, $driver->kind($error->getPrevious())];
    } catch (Throwable $error) {
        $kind = $driver->kind($error);
        return [in_array($kind, NOT_WRITTEN, true) ? 'rejected' : 'unknown', -1, $kind];
    }
}
