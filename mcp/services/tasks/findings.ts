import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { hashDistance } from '../../lib/image/difference-hash.ts'
import { BadTimestamp, listAttestations, parseOts, type Timestamp } from '../../lib/opentimestamps.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Tx } from '../../ports/store/port.ts'
import type { TaskEvidence } from './evidence.ts'
import type { EvidenceFile } from './file.ts'
import { hashJson } from './history.ts'
import { distanceMetres } from './place.ts'
import type { Task } from './task.ts'

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

/** Hashes of evidence that was handed in before, by whom and for what. */
type SeenEvidence = { id: string; task: string; worker: string; at: string }

const seenEvidenceIn = collection<SeenEvidence>({
  name: 'tasks.seen_evidence',
  bounded: 'One for each piece of evidence of a submission.',
})

/** A look of an image that was handed in, and its eight parts, by which images that look nearly the same are found. */
type SeenImage = {
  id: string
  hash: string
  task: string
  worker: string
  at: string
  [part: `part${number}`]: string
}

const parts = [0, 1, 2, 3, 4, 5, 6, 7] as const

const seenImagesIn = collection<SeenImage>({
  name: 'tasks.seen_images',
  indexes: parts.map(n => ({ name: `part${n}`, fields: [`part${n}`] })),
  bounded: 'One for each image of a submission.',
})

/** In how many of 128 bits images may differ that count as the same. */
const maxDistance = 10

const maxCandidates = 50

/** Fingerprint that shows repeated evidence: its file, or its words where they are long enough to be its own. */
const computeFingerprint = ({ sha256, value }: TaskEvidence): string | undefined => {
  if (sha256 !== null) return sha256
  return value !== null && value.length >= 40 ? hashJson(value) : undefined
}

type Handover = { task: Task; now: Date }

const toFinding = (
  at: number,
  what: string,
  before: { worker: string; at: string },
  { worker }: Task,
): EvidenceFinding => {
  const who = before.worker === worker ? 'the same worker' : 'somebody else'
  return {
    evidence: at,
    check: 'duplicate',
    result: 'fail',
    detail: `${what} was handed in by ${who} for another task at ${before.at}.`,
  }
}

const findSame = async (
  tx: Tx,
  at: number,
  piece: TaskEvidence,
  { task, now }: Handover,
): Promise<EvidenceFinding[]> => {
  const id = computeFingerprint(piece)
  if (id === undefined) return []
  const before = await seenEvidenceIn(tx).get(id)
  if (!before) {
    const record = { id, task: task.id, worker: task.worker ?? '', at: now.toISOString() }
    await seenEvidenceIn(tx).insert(record)
  }
  return before && before.task !== task.id ? [toFinding(at, 'The same', before, task)] : []
}

const splitHash = (hash: string) =>
  Object.fromEntries(parts.map(n => [`part${n}`, hash.slice(n * 4, n * 4 + 4)])) as Record<
    `part${number}`,
    string
  >

/** The nearest of the images for other tasks that look nearly the same; they share one of the eight parts. */
const findAlike = async (tx: Tx, hash: string, task: string): Promise<SeenImage | undefined> => {
  const alike: { image: SeenImage; distance: number }[] = []
  for (const [index, part] of Object.entries(splitHash(hash))) {
    const { rows } = await seenImagesIn(tx).find({ index, where: { [index]: part }, limit: maxCandidates })
    for (const image of rows) {
      const distance = hashDistance(image.hash, hash)
      if (image.task !== task && distance <= maxDistance) alike.push({ image, distance })
    }
  }
  return alike.sort((one, other) => one.distance - other.distance)[0]?.image
}

/** Notes each piece as handed in for this task, and finds those that were handed in for another one before: the same bytes, or an image that looks the same. */
export const findDuplicates = async (
  tx: Tx,
  evidence: readonly TaskEvidence[],
  files: ReadonlyMap<string, EvidenceFile>,
  handover: Handover,
): Promise<EvidenceFinding[]> => {
  const { task, now } = handover
  const findings: EvidenceFinding[] = []
  for (const [at, piece] of evidence.entries()) {
    const same = await findSame(tx, at, piece, handover)
    findings.push(...same)
    const hash = piece.file === null ? null : (files.get(piece.file)?.look?.hash ?? null)
    if (hash === null) continue
    const alike = same.length > 0 ? undefined : await findAlike(tx, hash, task.id)
    if (alike) findings.push(toFinding(at, 'An image that looks the same', alike, task))
    const record = { id: `${task.id} ${piece.file}`, hash, task: task.id, worker: task.worker ?? '' }
    await seenImagesIn(tx).put({ ...record, at: now.toISOString(), ...splitHash(hash) })
  }
  return findings
}
