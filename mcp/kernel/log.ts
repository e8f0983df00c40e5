import { type DestinationStream, type Logger, pino } from 'pino'
import type { CallRecord } from './call.ts'
import { callLine, isoTime } from './call-line.ts'
import { openBatch } from './log-batch.ts'
import { openOutput } from './log-output.ts'

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

/** Log form of a stranger's exception: its kind, message and stack, nothing that hangs on it. */
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

const colours: Readonly<Record<string, string>> = {
  error: '\x1b[31m',
  fatal: '\x1b[31m',
  warn: '\x1b[33m',
  debug: '\x1b[2m',
}

const fieldText = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^[\w.:/@+-]+$/.test(text) ? text : JSON.stringify(text)
}

/** Keeps a terminal from reading what a stranger wrote as its own commands. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd')

/** One line of the log for people: `12:30:00 info call service=cat tool=pet ms=1.2`; a stack on lines of its own. */
const readableLine = (line: string, colour: boolean): string => {
  let entry: Record<string, unknown>
  try {
    entry = JSON.parse(line) as Record<string, unknown>
  } catch {
    return line
  }
  const { level = '', time = '', msg = '', cause, ...fields } = entry
  const { message, stack } = (cause ?? {}) as { message?: string; stack?: string }
  const words = Object.entries({ ...fields, ...(message !== undefined && { cause: message }) }).map(
    ([name, value]) => `${name}=${fieldText(value)}`,
  )
  const tint = colour ? (colours[String(level)] ?? '') : ''
  const head = `${String(time).slice(11, 19)} ${tint}${String(level).padEnd(5)}${tint ? '\x1b[0m' : ''}`
  const frames = stack ? `\n${stack.split('\n').slice(1).map(printable).join('\n')}` : ''
  return `${head} ${printable([msg, ...words].join(' '))}${frames}\n`
}

/** Standard output for people, where it is a terminal. */
const openTerminal = (): DestinationStream => {
  const colour = process.env.NO_COLOR === undefined
  return { write: line => void process.stdout.write(readableLine(line, colour)) }
}

/** A logger, and the way for lines that are put together by hand. */
export type Log = Logger & {
  /** Takes a whole line; undefined where the level is above that of calls. */
  addLine: ((line: string) => void) | undefined
  close(): void
}

/** JSON lines on stdout, readable ones where that is a terminal, or lines to a stream. Written in batches; `flush` before the process ends. */
export const openLog = (level: string, stream?: DestinationStream): Log => {
  const isTerminal = stream === undefined && process.stdout.isTTY
  const batch = openBatch(stream ?? (isTerminal ? openTerminal() : openOutput(1)))
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${isoTime()}"`,
      formatters: { level: label => ({ level: label }) },
      redact: { paths: redact, censor: '[secret]' },
    },
    batch,
  )
  const toLines = isTerminal ? batch.write : batch.add
  // On a disk that is slow each flush waits for what is being written, so only one waits at a time.
  let isFlushing = false
  const timer = setInterval(() => {
    if (isFlushing) return
    isFlushing = true
    logger.flush(() => {
      isFlushing = false
    })
  }, 1000)
  timer.unref()
  return Object.assign(logger, {
    addLine: logger.isLevelEnabled('info') ? toLines : undefined,
    close() {
      clearInterval(timer)
      batch.close()
    },
  })
}

/** One line per call: event, tool, channel, caller, price, receipt, milliseconds, code. */
export const logCall = (log: Log, entry: CallRecord): void => {
  if (entry.cause === undefined) {
    log.addLine?.(callLine(entry))
    return
  }
  // Who is behind a call is for the person's own record.
  const { ms, price, cause, person: _person, payer: _payer, address: _address, ...rest } = entry
  const line = {
    ...rest,
    ...(price && { price: `${price.amount} ${price.unit}` }),
    ms: Math.round(ms * 100) / 100,
  }
  log.error({ ...line, cause: toLogCause(cause) }, 'call')
}

/** One line for a fault outside of a call: where it happened, and what it was without credentials. */
export const logFault = (log: Logger, where: Record<string, unknown>, cause: unknown): void =>
  log.error({ ...where, cause: toLogCause(cause) }, 'fault')

/** One line for what ends the process, written before this returns. */
export const logFatal = (log: Logger, event: string, cause: unknown): void =>
  log.fatal({ event, cause: toLogCause(cause) }, 'fatal')
