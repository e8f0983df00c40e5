import { collection } from '../../../kernel/collection.ts'
import { ToolError } from '../../../kernel/error.ts'
import { job } from '../../../kernel/job.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { proofSettings } from '../config.ts'
import {
  formatNoteKey,
  isSignedBy,
  type NoteKey,
  parseNote,
  parseSignatureLine,
} from '../proofs/verify/note.ts'
import { type TransparencyLog, transparencyLog } from './log.ts'

/** Last signature of a witness: a checkpoint, and its line. */
export type Cosignature = { id: string; size: number; note: string; line: string; cosigned_at: string }

export const cosignaturesIn = collection<Cosignature>({
  name: 'proof.cosignatures',
  indexes: [
    { name: 'size', fields: ['size'] },
    { name: 'note', fields: ['note'] },
  ],
  bounded: 'One for each witness that the operator names.',
})

/** The lines of witnesses under a checkpoint, or under the last one that any has cosigned. Undefined where there are none. */
export const listCosignatures = async (
  store: Pick<Tx, 'collection'>,
  note: string | undefined,
): Promise<{ note: string; lines: string[] } | undefined> => {
  const cosignatures = cosignaturesIn(store)
  const wanted = note ?? (await cosignatures.find({ index: 'size', order: 'desc', limit: 1 })).rows[0]?.note
  if (wanted === undefined) return undefined
  const { rows } = await cosignatures.find({ index: 'note', where: { note: wanted } })
  return rows.length === 0 ? undefined : { note: wanted, lines: rows.map(({ line }) => line) }
}

type Witness = { url: string; key: NoteKey }
type Way = Pick<Ports, 'fetch'> & { signal: AbortSignal; log: TransparencyLog }

const toBase64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')

/** The body of `add-checkpoint` (C2SP tlog-witness): what the witness saw last, the way from there, and the checkpoint. */
const toRequest = (log: TransparencyLog, old: number, size: number, note: string): string =>
  `old ${old}\n${log
    .consistency(old, size)
    .map(hash => `${toBase64(hash)}\n`)
    .join('')}\n${note}`

const post = ({ fetch, signal, log }: Way, { url }: Witness, old: number, size: number, note: string) =>
  fetch(`${url}/add-checkpoint`, {
    method: 'POST',
    body: toRequest(log, old, size, note),
    maxBytes: 20_000,
    maxRedirects: 0,
    fresh: true,
    namedBy: 'operator',
    signal,
  })

/** The line by which a witness cosigns a note. Throws `upstream` where it does not, or where what it sends is not its signature. */
const askWitness = async (
  way: Way,
  witness: Witness,
  old: number,
  { size, note }: { size: number; note: string },
): Promise<string> => {
  const fail = (detail: string) => new ToolError('upstream', `The witness ${witness.key.name} ${detail}.`)
  let answer = await post(way, witness, old, size, note)
  const stated = answer.body.toString('latin1').trim()
  // It has seen another size than we remember, and says which.
  if (answer.status === 409 && /^\d{1,15}$/.test(stated)) {
    const witnessSize = Number(stated)
    if (witnessSize > size) throw fail(`has seen ${witnessSize} entries of this ledger, which has ${size}`)
    answer = await post(way, witness, witnessSize, size, note)
  }
  if (answer.status !== 200) throw fail(`answers ${answer.status}`)
  const text = parseNote(note)?.text ?? ''
  for (const line of answer.body.toString('utf8').split('\n')) {
    const signature = parseSignatureLine(line)
    if (signature && isSignedBy({ text, signatures: [signature] }, witness.key)) return line
  }
  throw fail('has sent no signature of its key')
}

/** Shows the newest checkpoint to each witness that has not cosigned it yet. */
export const askWitnesses = job({
  name: 'ask-witnesses',
  every: 60,
  needs: ['store', 'clock', 'fetch', transparencyLog, proofSettings.witnesses],
}).run(async ({ store, clock, fetch, transparencyLog: log, witnesses, signal }) => {
  await log.sync()
  const checkpoint = await log.checkpoint(log.size())
  const cosignatures = cosignaturesIn(store)
  const results = await Promise.allSettled(
    witnesses.map(async witness => {
      const id = formatNoteKey(witness.key)
      const last = await cosignatures.get(id)
      if (last?.note === checkpoint.note) return
      const line = await askWitness({ fetch, signal, log }, witness, last?.size ?? 0, checkpoint)
      const { size, note } = checkpoint
      await cosignatures.put({ id, size, note, line, cosigned_at: clock.now().toISOString() })
    }),
  )
  for (const result of results) if (result.status === 'rejected') throw result.reason
})
