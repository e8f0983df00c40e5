import { createHash } from 'node:crypto'
import { ToolError } from '../../../kernel/error.ts'
import { job } from '../../../kernel/job.ts'
import {
  beginTimestamp,
  formatOts,
  listAttestations,
  mergeTimestamp,
  parseCalendarAnswer,
  parseOts,
  type Timestamp,
} from '../../../lib/opentimestamps.ts'
import { dayMs } from '../../../lib/time.ts'
import type { Ports } from '../../../ports/ports.ts'
import { proofSettings } from '../config.ts'
import { transparencyLog } from '../ledger/log.ts'
import { type Anchor, anchorsIn } from './anchor.ts'

const maxAnswerBytes = 10_000
const accept = 'application/vnd.opentimestamps.v1'

type Way = Pick<Ports, 'fetch'> & { signal: AbortSignal }

/** Asks a calendar; undefined where it does not know yet, or answers with anything but a timestamp of the message. */
const askCalendar = async (
  { fetch, signal }: Way,
  url: string,
  message: Buffer,
  body?: Buffer,
): Promise<Timestamp | undefined> => {
  try {
    const answer = await fetch(url, {
      ...(body && { method: 'POST' as const, body }),
      headers: body ? { 'content-type': 'application/octet-stream' } : {},
      accept,
      maxBytes: maxAnswerBytes,
      maxRedirects: 0,
      fresh: true,
      namedBy: 'operator',
      signal,
    })
    if (answer.status !== 200 || answer.truncated) return undefined
    return parseCalendarAnswer(answer.body, message)
  } catch {
    return undefined
  }
}

/** The newest checkpoint is handed to the calendars, where it has grown since. */
export const stampCheckpoints = job({
  name: 'stamp-checkpoints',
  every: 3600,
  timeout: 120,
  needs: ['store', 'clock', 'fetch', transparencyLog, proofSettings.calendars],
}).run(async ({ store, clock, fetch, transparencyLog: log, calendars, signal }) => {
  await log.sync()
  const { size, note } = await log.checkpoint(log.size())
  const anchors = anchorsIn(store)
  const id = `opentimestamps:${size}`
  if (await anchors.get(id)) return
  const { timestamp, message } = beginTimestamp(createHash('sha256').update(note).digest())
  const answers = await Promise.all(
    calendars.map(url => askCalendar({ fetch, signal }, `${url}/digest`, message.message, message.message)),
  )
  for (const answer of answers) if (answer) mergeTimestamp(message, answer)
  if (listAttestations(timestamp).length === 0)
    throw new ToolError('upstream', 'No calendar of PROOF_CALENDARS has taken the checkpoint.')
  await anchors.insert({
    id,
    kind: 'opentimestamps',
    size,
    checkpoint: note,
    state: 'pending',
    created_at: clock.now().toISOString(),
    ots: formatOts(timestamp).toString('base64'),
    bitcoin: [],
    event_id: null,
    relays: [],
  })
})

/** Days after which a calendar that knows no block is given up. */
const maxPendingDays = 30

const upgrade = async (
  way: Way,
  calendars: readonly string[],
  anchor: Anchor,
  now: Date,
): Promise<Anchor> => {
  const timestamp = parseOts(Buffer.from(anchor.ots ?? '', 'base64'))
  for (const { attestation, timestamp: at } of listAttestations(timestamp)) {
    // Only calendars that the operator named are asked: an answer may name any address.
    if (attestation.kind !== 'pending' || !calendars.includes(attestation.url.replace(/\/+$/, ''))) continue
    const url = `${attestation.url.replace(/\/+$/, '')}/timestamp/${at.message.toString('hex')}`
    const answer = await askCalendar(way, url, at.message)
    if (answer) mergeTimestamp(at, answer)
  }
  const bitcoin = listAttestations(timestamp).flatMap(({ attestation }) =>
    attestation.kind === 'bitcoin'
      ? [{ height: attestation.height, merkle_root: attestation.merkleRoot }]
      : [],
  )
  const days = (now.getTime() - Date.parse(anchor.created_at)) / dayMs
  const missing = days > maxPendingDays ? 'failed' : 'pending'
  return {
    ...anchor,
    ots: formatOts(timestamp).toString('base64'),
    bitcoin,
    state: bitcoin.length > 0 ? 'anchored' : missing,
  }
}

/** Asks the calendars for the blocks that pending stamps went into. */
export const upgradeStamps = job({
  name: 'upgrade-stamps',
  every: 600,
  timeout: 300,
  needs: ['store', 'clock', 'fetch', proofSettings.calendars],
}).run(async ({ store, clock, fetch, calendars, signal }) => {
  const anchors = anchorsIn(store)
  const where = { kind: 'opentimestamps', state: 'pending' }
  const { rows } = await anchors.find({ index: 'state', where, limit: 100 })
  for (const anchor of rows)
    await anchors.put(await upgrade({ fetch, signal }, calendars, anchor, clock.now()))
})
