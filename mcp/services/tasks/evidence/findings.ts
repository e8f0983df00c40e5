import { z } from 'zod'
import type { Ports } from '../../../ports/index.ts'
import { distanceMetres } from '../task/near.ts'
import type { Task } from '../task/task.ts'
import type { Evidence } from './evidence.ts'

export const FindingOut = z.object({
  evidence: z.number().int().describe('Which piece, from 0'),
  check: z.enum(['place', 'time', 'duplicate', 'timestamp', 'hash']).describe('What was looked at'),
  result: z.enum(['pass', 'fail', 'unknown']).describe('What was found'),
  detail: z.string().describe('In words'),
})

/** What a look at a piece of evidence showed. Findings are shown to who reviews; they decide nothing. */
export type Finding = z.output<typeof FindingOut>

const placeFinding = (at: number, { geo }: Evidence, { terms: { place } }: Task): Finding[] => {
  if (!place || place.lat === null || place.lng === null || place.mode === 'any' || !geo) return []
  const metres = Math.round(distanceMetres({ lat: place.lat, lng: place.lng }, geo))
  const within = metres <= place.radius_m + (geo.accuracy_m ?? 0)
  const detail = `Claimed to be made ${metres} m from the place; ${place.radius_m} m were asked for.`
  return [{ evidence: at, check: 'place', result: within ? 'pass' : 'fail', detail }]
}

const timeFinding = (at: number, { captured_at }: Evidence, { created_at }: Task, now: Date): Finding[] => {
  if (captured_at === null) return []
  const isWithin = captured_at >= created_at && captured_at <= now.toISOString()
  const detail = isWithin
    ? 'Claimed to be made after the task was published.'
    : 'Claimed to be made before the task was published, or in the future.'
  return [{ evidence: at, check: 'time', result: isWithin ? 'pass' : 'fail', detail }]
}

const parseValue = (value: string | null): unknown => (value === null ? undefined : JSON.parse(value))

/** A stamp of this house is checked; one of somebody else is shown as it is. */
const timestampFinding = (at: number, { type, value }: Evidence, sign: Ports['sign']): Finding[] => {
  if (type !== 'timestamp_proof') return []
  const { hash, proof } = parseValue(value) as { hash: string; proof: string }
  const claims = sign.open(proof)
  const own = hash.slice(-64).toLowerCase()
  if (!claims) {
    const detail = 'The proof is none of this house: ask who made it.'
    return [{ evidence: at, check: 'timestamp', result: 'unknown', detail }]
  }
  const fits = claims.hash === own && typeof claims.iat === 'number'
  const detail = fits
    ? `Stamped here at ${new Date(Number(claims.iat) * 1000).toISOString()}.`
    : 'The proof is of this house, but of another hash.'
  return [{ evidence: at, check: 'timestamp', result: fits ? 'pass' : 'fail', detail }]
}

/** What a look at the evidence shows, without asking the world. */
export const findInEvidence = (
  evidence: readonly Evidence[],
  task: Task,
  { sign, now }: { sign: Ports['sign']; now: Date },
): Finding[] =>
  evidence.flatMap((piece, at) => [
    ...placeFinding(at, piece, task),
    ...timeFinding(at, piece, task, now),
    ...timestampFinding(at, piece, sign),
  ])
