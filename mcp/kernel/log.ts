import { type DestinationStream, destination, type Logger, pino } from 'pino'
import type { CallRecord } from './call.ts'

/** Fields that never reach the log, wherever a stranger's error carries them. */
const redact = [
  'authorization',
  'cookie',
  'x-api-key',
  'payment-signature',
  'signature',
  'headers',
  'config',
  'request',
]

/** What of a stranger's exception is logged: its kind, message and stack, nothing that hangs on it. */
const toLogCause = (error: unknown) =>
  error instanceof Error
    ? { name: error.name, message: scrub(error.message), stack: scrub(error.stack ?? '') }
    : { message: scrub(String(error)) }

/** Credentials inside a text: bearer tokens, keys of ours, and passwords in URLs. */
export const scrub = (text: string): string =>
  text
    .replace(/\b(Bearer|L402)\s+[\w.~+/:=-]+/gi, '$1 [secret]')
    .replace(/\b[a-z]{2,8}_[\w-]{43}\b/g, '[secret]')
    .replace(/(:\/\/[^\s:/@]*:)[^\s@]+@/g, '$1[secret]@')

/** Standard output that may fail, as a full disk or a closed pipe does: lines are lost then, and nothing else. */
const openStdout = () => {
  const sink = destination({ dest: 1, sync: false, minLength: 4096 })
  sink.on('error', () => undefined)
  return sink
}

/** JSON lines on stdout, or to a stream. Written in batches; `flush` before the process ends. */
export const openLog = (level: string, stream?: DestinationStream): Logger & { close(): void } => {
  const sink = stream ?? openStdout()
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: label => ({ level: label }) },
      redact: { paths: redact, censor: '[secret]' },
    },
    sink,
  )
  const timer = setInterval(() => logger.flush(), 1000)
  timer.unref()
  return Object.assign(logger, {
    close() {
      clearInterval(timer)
      if ('flushSync' in sink && typeof sink.flushSync === 'function') sink.flushSync()
    },
  })
}

/** One line per call: event, tool, channel, caller, price, receipt, milliseconds, code. */
export const logCall = (log: Logger, { ms, price, cause, ...entry }: CallRecord): void => {
  const line = {
    ...entry,
    ...(price && { price: `${price.amount} ${price.unit}` }),
    ms: Math.round(ms * 100) / 100,
  }
  if (cause === undefined) log.info(line, 'call')
  else log.error({ ...line, cause: toLogCause(cause) }, 'call')
}

/** One line for a fault outside of a call: where it happened, and what it was without credentials. */
export const logFault = (log: Logger, where: Record<string, unknown>, cause: unknown): void =>
  log.error({ ...where, cause: toLogCause(cause) }, 'fault')

/** One line for what ends the process, written before this returns. */
export const logFatal = (log: Logger, event: string, cause: unknown): void =>
  log.fatal({ event, cause: toLogCause(cause) }, 'fatal')
