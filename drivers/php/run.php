<?php
/**
 * The schedule of a driver: gives each write that is due to a worker that is free, and reports its outcome.
 */
declare(strict_types=1);

require __DIR__ . '/protocol.php';

const FLUSH_SECONDS = 0.02;

/**
 * @param string[] $variants
 * @param callable(array): object $makeDriver
 * @param callable(array): array $ready library, version, wait, pipeline
 */
function run(array $variants, callable $makeDriver, callable $ready): never
{
    $task = readTask($variants);
    (new Trial($task))->run($makeDriver, $ready($task));
}

final class Trial
{
    /** @var array<int, resource> by process id */
    private array $workers = [];
    /** @var array<int, array{int, int}> by process id: the number of its write, and when it was given */
    private array $open = [];
    /** @var int[] process ids */
    private array $free = [];
    private int $connected = 0;
    private string $input = '';
    private string $output = '';
    private bool $stopped = false;
    private ?int $start = null;
    /** The next write that was not given to a worker. */
    private int $next = 0;
    /** The number of writes that were due, after the stop. */
    private int $limit = PHP_INT_MAX;

    public function __construct(private array $task)
    {
    }

    public function run(callable $makeDriver, array $ready): never
    {
        pcntl_async_signals(true);
        pcntl_signal(SIGTERM, function (): void {
            $this->stopped = true;
        });
        $this->startWorkers($makeDriver);
        stream_set_blocking(STDIN, false);
        stream_set_blocking(STDOUT, false);
        while (!$this->stopped && $this->connected < $this->task['concurrency']) {
            $this->listen(1);
        }
        $this->line('ready ' . json_encode($ready + ['language' => 'PHP ' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION]));
        while (!$this->stopped && $this->start === null) {
            $this->listen(1);
        }
        while (!$this->stopped) {
            $this->giveWrites();
            // Without a free worker a write that is due has to wait.
            $wait = $this->free === [] ? FLUSH_SECONDS : ($this->due($this->next) - hrtime(true)) / 1e9;
            $this->listen(min(FLUSH_SECONDS, max(0, $wait)));
        }
        $this->finish();
    }

    private function startWorkers(callable $makeDriver): void
    {
        for ($index = 0; $index < $this->task['concurrency']; $index++) {
            [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            $pid = pcntl_fork();
            if ($pid === 0) {
                array_map(fclose(...), [...$this->workers, $ours]);
                work($this->task, $makeDriver($this->task), $theirs);
            }
            fclose($theirs);
            $this->workers[$pid] = $ours;
        }
    }

    private function due(int $number): int
    {
        return $this->start + (int) ($number * 1e9 / $this->task['rate']);
    }

    private function giveWrites(): void
    {
        while ($this->next < $this->limit && $this->due($this->next) <= hrtime(true)) {
            if (hrtime(true) > $this->due($this->next) + $this->task['giveUpMs'] * 1_000_000) {
                $this->line("w {$this->next} unsent -1 0 0 -");
            } elseif ($this->free !== []) {
                $pid = array_shift($this->free);
                $this->open[$pid] = [$this->next, hrtime(true)];
                fwrite($this->workers[$pid], "{$this->next}\n");
            } else {
                return;
            }
            $this->next++;
        }
    }

    /** Reads what is there, and writes what can be written. */
    private function listen(float $seconds): void
    {
        $read = [...$this->workers, ...(feof(STDIN) ? [] : [STDIN])];
        $write = $this->output === '' ? [] : [STDOUT];
        $except = null;
        // A signal ends it early, with a warning.
        if (@stream_select($read, $write, $except, (int) $seconds, (int) (fmod($seconds, 1) * 1e6)) === false) {
            return;
        }
        foreach ($read as $stream) {
            if ($stream === STDIN) {
                $this->readInput();
            } else {
                $this->readWorker((int) array_search($stream, $this->workers, true));
            }
        }
        if ($write !== []) {
            $this->flush();
        }
    }

    private function readInput(): void
    {
        $this->input .= (string) fread(STDIN, 65536);
        $this->stopped = $this->stopped || feof(STDIN) || str_contains($this->input, "stop\n");
        if ($this->start === null && preg_match('/^start (\d+)\n/', $this->input, $found)) {
            $this->start = (int) $found[1];
        }
    }

    private function readWorker(int $pid): void
    {
        $line = fgets($this->workers[$pid]);
        if ($line === "connected\n") {
            $this->connected++;
        } elseif (is_string($line) && str_starts_with($line, 'failed ')) {
            $this->endWorkers();
            failed(4, 'No connection to the primary within ' . CONNECT_SECONDS . ' s (' . trim(substr($line, 7)) . ').');
        } elseif ($line === false) {
            $this->endWorkers();
            failed(1, 'A worker process ended by itself.');
        } else {
            [$number, $outcome, $count, $sent, $answered, $kind] = explode(' ', trim($line));
            $times = array_map(fn ($time) => intdiv((int) $time - $this->start, 1000), [$sent, $answered]);
            $this->line("w $number $outcome $count {$times[0]} {$times[1]} $kind");
            unset($this->open[$pid]);
        }
        $this->free[] = $pid;
    }

    private function line(string $line): void
    {
        $this->output .= "$line\n";
    }

    private function flush(): void
    {
        $written = @fwrite(STDOUT, $this->output);
        if ($written === false) {
            $this->endWorkers();
            exit(1); // Nobody reads any more.
        }
        $this->output = substr($this->output, $written);
    }

    /** Waits for the writes under way, reports the others, and ends the program. */
    private function finish(): never
    {
        pcntl_signal(SIGTERM, SIG_IGN);
        $this->limit = 0;
        if ($this->start !== null) {
            $elapsed = hrtime(true) - $this->start;
            $this->limit = max($this->next, 0, (int) floor($elapsed * $this->task['rate'] / 1e9) + 1);
            $deadline = hrtime(true) + $this->task['drainMs'] * 1_000_000;
            while (($this->open !== [] || $this->next < $this->limit) && hrtime(true) < $deadline) {
                $this->giveWrites();
                $this->listen(FLUSH_SECONDS);
            }
        }
        foreach ($this->open as [$number, $sent]) {
            $this->line("w $number unknown -1 " . intdiv($sent - $this->start, 1000) . ' 0 TIMEOUT');
        }
        for (; $this->next < $this->limit; $this->next++) {
            $this->line("w {$this->next} unsent -1 0 0 -");
        }
        $this->line("done {$this->limit}");
        stream_set_blocking(STDOUT, true);
        while ($this->output !== '') {
            $this->flush();
        }
        $this->endWorkers();
        exit(0);
    }

    private function endWorkers(): void
    {
        foreach (array_keys($this->workers) as $pid) {
            posix_kill($pid, SIGKILL);
            pcntl_waitpid($pid, $status);
        }
    }
}
