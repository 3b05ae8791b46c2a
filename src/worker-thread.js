import { parentPort, Worker } from 'node:worker_threads';
import { UserError } from './errors.js';

/**
 * @typedef {Object} WorkerThread it does not keep this process alive while it has nothing to answer
 * @property {(question: any, options?: AskOptions) => Promise<any>} ask resolves to the thread's answer; rejects with its error, or when
 *   the thread ends or misses the deadline, which ends it. Questions may overlap
 * @property {() => boolean} hasEnded
 * @property {(reason?: Error) => Promise<void>} close ends the thread, whatever it is doing; unanswered questions reject with the reason.
 *   Idempotent
 * @typedef {{deadlineMs?: number, onProgress?: (progress: number) => void}} AskOptions onProgress: gets what {@link tellProgress} tells
 * @typedef {{serial?: number, answer?: any, error?: {message: string, remedy?: string}, progress?: number}} ThreadMessage from the thread
 */

/** @param {URL} file @param {{name: string, data?: any}} thread name: for errors; data: its `workerData` @returns {WorkerThread} */
export function startWorker(file, { name, data }) {
  // Options of this process such as --input-type would keep the thread from starting.
  const worker = new Worker(file, { workerData: data, execArgv: [] });
  /** @type {Map<number, AskOptions & Record<'resolve' | 'reject', (reply: any) => void> & {timer?: NodeJS.Timeout}>} not answered yet */
  const questions = new Map();
  let serial = 0;
  /** Why the thread has ended. @type {Error | null} */
  let over = null;

  /** @param {Error} reason */
  async function end(reason) {
    over ??= reason;
    await worker.terminate();
    for (const { reject, timer } of questions.values()) {
      clearTimeout(timer);
      reject(over);
    }
    questions.clear();
  }

  worker.on('error', (error) => end(new Error(`${name} failed: ${error.message}`, { cause: error })));
  worker.on('exit', () => end(new Error(`${name} has ended`)));
  worker.on('message', (/** @type {ThreadMessage} */ { serial: answered = 0, answer, error, progress }) => {
    if (progress !== undefined) for (const { onProgress } of questions.values()) onProgress?.(progress);
    const question = questions.get(answered);
    if (!question || over) return;
    questions.delete(answered);
    clearTimeout(question.timer);
    if (questions.size === 0) worker.unref();
    if (!error) question.resolve(answer);
    else question.reject(error.remedy ? new UserError(error.message, error.remedy) : new Error(error.message));
  });

  return {
    ask(question, { deadlineMs, onProgress } = {}) {
      return new Promise((resolve, reject) => {
        if (over) return reject(over);
        const late = () => end(new Error(`${name} did not answer within ${Math.round(Number(deadlineMs) / 1000)} s`));
        const timer = deadlineMs === undefined ? undefined : setTimeout(late, deadlineMs);
        serial += 1;
        questions.set(serial, { resolve, reject, onProgress, timer });
        worker.ref();
        worker.postMessage({ serial, question });
      });
    },
    hasEnded: () => over !== null,
    close: (reason = new Error(`${name} has ended`)) => end(reason),
  };
}

/**
 * The thread's side of {@link startWorker}. Questions that were asked before this call are answered, too. @template Asked
 * @param {(question: Asked) => any} answer called for each question as it comes; returns the answer or a promise of it, or throws
 */
export function answerQuestions(answer) {
  ownPort().on('message', async (/** @type {{serial: number, question: Asked}} */ { serial, question }) => {
    try {
      ownPort().postMessage({ serial, answer: await answer(question) });
    } catch (error) {
      const { message = String(error), remedy } = /** @type {Partial<UserError>} */ (error);
      ownPort().postMessage({ serial, error: { message, remedy } });
    }
  });
}

/** Tells those who asked this thread something how far the answer is. @param {number} progress */
export function tellProgress(progress) {
  ownPort().postMessage({ progress });
}

function ownPort() {
  if (!parentPort) throw new Error('this module runs as a worker thread only');
  return parentPort;
}
