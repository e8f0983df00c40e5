import { collection } from '../../../kernel/collection.ts'
import { hashDistance } from '../../../lib/image/difference-hash.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { hashJson } from '../history/entry.ts'
import type { Task } from '../task/task.ts'
import type { TaskEvidence } from './evidence.ts'
import type { EvidenceFile } from './file.ts'
import type { EvidenceFinding } from './findings.ts'

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
