import { z } from 'zod'
import { BadTimestamp, listAttestations, parseOts, type Timestamp } from '../../../lib/opentimestamps.ts'
import type { Ports } from '../../../ports/ports.ts'
import { distanceMetres } from '../task/near.ts'
import type { Task } from '../task/task.ts'
import type { TaskEvidence } from './evidence.ts'
import type { EvidenceFile } from './file.ts'

export const FindingOut = z.object({
  evidence: z.number().int().describe('Which piece, from 0'),
  check: z
    .enum(['hash', 'place', 'time', 'photo_place', 'photo_time', 'duplicate', 'timestamp'])
    .describe('What was looked at'),
  result: z.enum(['pass', 'fail', 'unknown']).describe('What was found'),
  detail: z.string().describe('In words'),
})

/** Result of a look at a piece of evidence. Findings are shown to who reviews; they decide nothing. */
export type EvidenceFinding = z.output<typeof FindingOut>

const placeFinding = (at: number, { geo }: TaskEvidence, { terms: { place } }: Task): EvidenceFinding[] => {
  if (!place || place.lat === null || place.lng === null || place.mode === 'any' || !geo) return []
  const metres = Math.round(distanceMetres({ lat: place.lat, lng: place.lng }, geo))
  const within = metres <= place.radius_m + (geo.accuracy_m ?? 0)
  const detail = `Claimed to be made ${metres} m from the place; ${place.radius_m} m were asked for.`
  return [{ evidence: at, check: 'place', result: within ? 'pass' : 'fail', detail }]
}

const timeFinding = (
  at: number,
  { captured_at }: TaskEvidence,
  { created_at }: Task,
  now: Date,
): EvidenceFinding[] => {
  if (captured_at === null) return []
  const isWithin = captured_at >= created_at && captured_at <= now.toISOString()
  const detail = isWithin
    ? 'Claimed to be made after the task was published.'
    : 'Claimed to be made before the task was published, or in the future.'
  return [{ evidence: at, check: 'time', result: isWithin ? 'pass' : 'fail', detail }]
}

const parseValue = (value: string | null): unknown => (value === null ? undefined : JSON.parse(value))

/** True when the bytes were seen here. */
const hashFinding = (at: number, { file, url, sha256 }: TaskEvidence): EvidenceFinding[] => {
  if (sha256 === null) return []
  if (file !== null) {
    const detail = 'The bytes were uploaded here and have this hash.'
    return [{ evidence: at, check: 'hash', result: 'pass', detail }]
  }
  const detail = `The bytes lie at ${new URL(url ?? 'https://nowhere.invalid').host} and were not seen here.`
  return [{ evidence: at, check: 'hash', result: 'unknown', detail }]
}

/** Compares a photo's own facts with what was asked for. */
const photoFindings = (
  at: number,
  { file }: TaskEvidence,
  { terms: { place }, created_at }: Task,
  files: ReadonlyMap<string, EvidenceFile>,
  now: Date,
): EvidenceFinding[] => {
  const exif = file === null ? null : (files.get(file)?.look?.exif ?? null)
  if (!exif) return []
  const findings: EvidenceFinding[] = []
  const { lat, lng, taken_at } = exif
  if (lat !== null && lng !== null && typeof place?.lat === 'number' && typeof place.lng === 'number') {
    const metres = Math.round(distanceMetres({ lat: place.lat, lng: place.lng }, { lat, lng }))
    const detail = `The photo claims a place ${metres} m from that of the task; anybody can write that.`
    const result = metres <= place.radius_m ? 'pass' : 'fail'
    findings.push({ evidence: at, check: 'photo_place', result, detail })
  }
  if (taken_at !== null) {
    const isZoned = /[+-]\d\d:\d\d$/.test(taken_at)
    // The clock of a camera is a little off; without a zone it may have been any of them.
    const slackMs = isZoned ? 60_000 : 14 * 3_600_000
    const time = Date.parse(isZoned ? taken_at : `${taken_at}Z`)
    const isWithin = time >= Date.parse(created_at) - slackMs && time <= now.getTime() + slackMs
    const detail = `The photo claims to be taken at ${taken_at}${isZoned ? '' : ', in a zone that it does not tell'}; anybody can write that.`
    findings.push({ evidence: at, check: 'photo_time', result: isWithin ? 'pass' : 'fail', detail })
  }
  return findings
}

/** Reads a stamp of OpenTimestamps; undefined for what is none. */
const readOpenTimestamp = (
  proof: string,
  hash: string,
): Pick<EvidenceFinding, 'result' | 'detail'> | undefined => {
  let timestamp: Timestamp
  try {
    timestamp = parseOts(Buffer.from(proof, 'base64'))
  } catch (error) {
    if (error instanceof BadTimestamp) return undefined
    throw error
  }
  if (timestamp.message.toString('hex') !== hash)
    return { result: 'fail', detail: 'The proof of OpenTimestamps is of another hash.' }
  const attestations = listAttestations(timestamp).map(({ attestation }) => attestation)
  const block = attestations.find(each => each.kind === 'bitcoin')
  if (block?.kind === 'bitcoin')
    return {
      result: 'unknown',
      detail: `It leads from this hash to the Merkle root ${block.merkleRoot}: compare it with block ${block.height} of Bitcoin.`,
    }
  return {
    result: 'unknown',
    detail: 'It leads from this hash to calendars, and to no block of Bitcoin yet.',
  }
}

/** A stamp of this house is checked, one of OpenTimestamps as far as a block of Bitcoin; another is shown as it is. */
const timestampFinding = (
  at: number,
  { type, value }: TaskEvidence,
  sign: Ports['sign'],
): EvidenceFinding[] => {
  if (type !== 'timestamp_proof') return []
  const { hash, proof } = parseValue(value) as { hash: string; proof: string }
  const own = hash.slice(-64).toLowerCase()
  const claims = sign.open(proof)
  if (!claims) {
    const open = readOpenTimestamp(proof, own)
    const strange = {
      result: 'unknown',
      detail: 'The proof is none that is known here: ask who made it.',
    } as const
    return [{ evidence: at, check: 'timestamp', ...(open ?? strange) }]
  }
  const fits = claims.hash === own && typeof claims.iat === 'number'
  const detail = fits
    ? `Stamped here at ${new Date(Number(claims.iat) * 1000).toISOString()}.`
    : 'The proof is of this house, but of another hash.'
  return [{ evidence: at, check: 'timestamp', result: fits ? 'pass' : 'fail', detail }]
}

type Looking = { sign: Ports['sign']; now: Date; files: ReadonlyMap<string, EvidenceFile> }

/** Finds what the evidence shows, without asking the world. */
export const findInEvidence = (
  evidence: readonly TaskEvidence[],
  task: Task,
  { sign, now, files }: Looking,
): EvidenceFinding[] =>
  evidence.flatMap((piece, at) => [
    ...hashFinding(at, piece),
    ...placeFinding(at, piece, task),
    ...timeFinding(at, piece, task, now),
    ...photoFindings(at, piece, task, files, now),
    ...timestampFinding(at, piece, sign),
  ])
