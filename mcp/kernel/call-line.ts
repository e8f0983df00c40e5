import type { CallRecord } from './call.ts'

let second = 0
let upToSecond = ''

/** The time as `Date.toISOString` writes it, at a fifth of the cost within a second. */
export const isoTime = (now = Date.now()): string => {
  const at = Math.floor(now / 1000)
  if (at !== second) {
    second = at
    upToSecond = new Date(at * 1000).toISOString().slice(0, 20)
  }
  return `${upToSecond}${String(now - at * 1000).padStart(3, '0')}Z`
}

const maxQuoted = 2000
const quotedNames = new Map<string, string>()

/** A name of a declaration as JSON; there are few of them. */
const quoteName = (name: string): string => {
  const cached = quotedNames.get(name)
  if (cached !== undefined) return cached
  const quoted = JSON.stringify(name)
  if (quotedNames.size < maxQuoted) quotedNames.set(name, quoted)
  return quoted
}

/** The line of a call that no stranger's failure ended, as the logger would write it: its fields are known, so it is put together without an object. */
export const callLine = ({
  service,
  tool,
  channel,
  caller,
  receipt,
  code,
  request,
  trace,
  ref,
  price,
  ms,
}: CallRecord): string => {
  const head = `{"level":"info","time":"${isoTime()}","service":${quoteName(service)},"tool":${quoteName(tool)},"channel":"${channel}"`
  const who = caller === undefined ? '' : `,"caller":${JSON.stringify(caller)}`
  const paid = receipt === undefined ? '' : `,"receipt":${JSON.stringify(receipt)}`
  const reference = ref === undefined ? '' : `,"ref":${JSON.stringify(ref)}`
  const from = request === undefined ? '' : `,"request":${JSON.stringify(request)}`
  const traced = trace === undefined ? '' : `,"trace":"${trace}"`
  const cost = price === undefined ? '' : `,"price":${quoteName(`${price.amount} ${price.unit}`)}`
  return `${head}${who}${paid},"code":"${code}"${from}${traced}${reference}${cost},"ms":${Math.round(ms * 100) / 100},"msg":"call"}\n`
}
