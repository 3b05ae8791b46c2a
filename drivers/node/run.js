/**
 * Runs a driver. It gives `connect(task)`, which resolves to a function `write(key, value)`. That function resolves to what
 * WAIT counted, or to -1 without WAIT. It rejects with the library's error if the write failed, and with NotConfirmed if the
 * write is OK and its WAIT failed.
 */
import { createWriteStream } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { createInput, fail, kindOf, outcomeOf, pairOf, readTask } from './protocol.js';

const CONNECT_MS = 15_000;
const FLUSH_MS = 20;

/** Microseconds of CLOCK_MONOTONIC. */
const now = () => Number(process.hrtime.bigint() / 1000n);

export async function run({ library, npmPackage, variants, wait, pipeline, connect }) {
  // Each write reports its own error.
  process.on('unhandledRejection', () => {});
  const output = createOutput();
  const nextLine = createInput('stop');
  const task = readTask(await nextLine(), variants);

  const start = nextLine();
  const write = await Promise.race([connectInTime(() => connect(task)), start.then(() => null)]);
  if (write === null) return output.end(0); // stopped before it was connected
  const { version } = createRequire(import.meta.url)(`${npmPackage}/package.json`);
  const language = `Node.js ${process.versions.node.split('.')[0]}`;
  const ready = { library, version, language, wait: wait(task.variant), pipeline: pipeline(task.variant) };
  output.line(`ready ${JSON.stringify(ready)}`);
  output.flush();
  const [word, time] = (await start).split(' ');
  if (word !== 'start') return output.end(0);

  const trial = createTrial(task, Number(BigInt(time) / 1000n), { write, line: output.line });
  setInterval(output.flush, FLUSH_MS);
  while ((await nextLine()) !== 'stop');
  output.end(await trial.stop());
}

/** The schedule. */
function createTrial(task, startUs, { write, line }) {
  const periodUs = 1e6 / task.rate;
  const dueAt = (number) => startUs + number * periodUs;
  let next = 0; // the next write that was not given to the library
  let limit = Number.POSITIVE_INFINITY; // the number of writes that were due, after the stop
  const open = new Map(); // number: when it was sent
  let timer;
  let finish = () => {};

  function report(number, { outcome, count = -1, sent = 0, answered = 0, kind = '-' }) {
    line(`w ${number} ${outcome} ${count} ${sent} ${answered} ${kind}`);
  }

  function send(number) {
    const sent = Math.max(0, now() - startUs);
    open.set(number, sent);
    const ended = (answer) => {
      // The trial may have ended without this answer.
      if (!open.delete(number)) return;
      report(number, { ...outcomeOf(task, answer), sent, answered: Math.max(sent, now() - startUs) });
      pump();
    };
    write(...pairOf(task, number)).then(
      (count) => ended({ count }),
      (error) => ended({ error }),
    );
  }

  function pump() {
    clearTimeout(timer);
    const time = now();
    while (next < limit && dueAt(next) <= time) {
      if (time > dueAt(next) + task.giveUpMs * 1000) report(next++, { outcome: 'unsent' });
      else if (open.size < task.concurrency) send(next++);
      else break;
    }
    if (next >= limit && open.size === 0) return finish();
    const waitMs = Math.max((dueAt(next) - time) / 1000, open.size < task.concurrency ? 0 : FLUSH_MS);
    timer = setTimeout(pump, next < limit ? Math.ceil(waitMs) : FLUSH_MS);
  }

  /** Resolves to the number of writes that were due. */
  async function stop() {
    limit = Math.max(0, Math.floor((now() - startUs) / periodUs) + 1);
    limit = Math.max(limit, next);
    const complete = new Promise((resolve) => {
      finish = () => resolve(undefined);
    });
    pump();
    await Promise.race([complete, sleep(task.drainMs)]);
    clearTimeout(timer);
    for (const [number, sent] of open) report(number, { outcome: 'unknown', sent, kind: 'TIMEOUT' });
    open.clear();
    for (; next < limit; next++) report(next, { outcome: 'unsent' });
    return limit;
  }

  pump();
  return { stop };
}

/** Standard output. A stream of files, because writing to a pipe would stop the program while its reader is slow. */
function createOutput() {
  const stream = createWriteStream('', { fd: 1 });
  stream.on('error', () => process.exit(1)); // nobody reads
  let text = '';
  const line = (added) => {
    text += `${added}\n`;
  };
  const flush = () => {
    if (text !== '') stream.write(text);
    text = '';
  };
  return {
    line,
    flush,
    end(due) {
      line(`done ${due}`);
      flush();
      stream.end(() => process.exit(0));
    },
  };
}

async function connectInTime(connect) {
  const end = now() + CONNECT_MS * 1000;
  for (;;) {
    const late = sleep(Math.max(0, (end - now()) / 1000)).then(() => {
      throw new Error('timed out');
    });
    try {
      return await Promise.race([connect(), late]);
    } catch (error) {
      if (now() >= end) fail(4, `No connection to the primary within ${CONNECT_MS / 1000} s (${kindOf(error)}).`);
      await sleep(100);
    }
  }
}
