import { collection } from '../../../kernel/collection.ts'
import { ToolError } from '../../../kernel/error.ts'
import type { Tree } from '../../../lib/merkle-tree.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import {
  formatCheckpointBody,
  formatNoteKey,
  formatSignature,
  type NoteKey,
  noteAlgorithms,
} from '../proofs/verify/note.ts'

/** A checkpoint that was published; `root` in hexadecimal, `note` as C2SP signed-note has it. */
export type Checkpoint = { size: number; root: string; note: string; key: string }

type StoredCheckpoint = Checkpoint & { id: string }
type Origin = { id: string; origin: string }

const originsIn = collection<Origin>({ name: 'proof.origin', bounded: 'One.' })

const checkpointsIn = collection<StoredCheckpoint>({
  name: 'proof.checkpoints',
  bounded: 'The last ones of the program.',
})

/** The last checkpoint that anybody may have seen. */
export const loadLastCheckpoint = async (tx: Pick<Tx, 'collection'>): Promise<Checkpoint | undefined> =>
  checkpointsIn(tx).get('last')

export const saveLastCheckpoint = (tx: Pick<Tx, 'collection'>, checkpoint: Checkpoint): Promise<void> =>
  checkpointsIn(tx).put({ id: 'last', ...checkpoint })

/** The name of the ledger: that of its first start, for good. Throws where another one is configured. */
export const settleOrigin = async (tx: Tx, configured: string, random: string): Promise<string> => {
  const origins = originsIn(tx)
  const stored = (await origins.get('origin'))?.origin
  if (stored === undefined) {
    const origin = configured === 'auto' ? `localhost/ledger/${random}` : configured
    await origins.insert({ id: 'origin', origin })
    return origin
  }
  if (configured === 'auto' || configured === stored) return stored
  throw new ToolError(
    'unavailable',
    `The ledger is named ${stored}, and PROOF_LEDGER_ORIGIN says otherwise.`,
    {
      hint: `A ledger keeps its name. Set PROOF_LEDGER_ORIGIN to ${stored}. Nothing was changed.`,
    },
  )
}

export const toLedgerKey = (origin: string, publicKey: string): NoteKey => ({
  name: origin,
  algorithm: noteAlgorithms.ed25519,
  publicKey: new Uint8Array(Buffer.from(publicKey, 'hex')),
})

/** Signs the tree at its present size. Ed25519 signs alike each time, so replicas sign one size with the same bytes. */
export const signCheckpoint = (tree: Tree, key: NoteKey, sign: Ports['sign']): Checkpoint => {
  const size = tree.size()
  const root = tree.root(size)
  const text = formatCheckpointBody({ origin: key.name, size, root })
  const signature = new Uint8Array(Buffer.from(sign.ed25519(text), 'base64url'))
  return {
    size,
    root: root.toString('hex'),
    note: `${text}\n${formatSignature(key, signature)}\n`,
    key: formatNoteKey(key),
  }
}

/** Throws where the leaves are not those that a published checkpoint was made from. */
export const checkAgainst = (tree: Tree, { size, root }: Pick<Checkpoint, 'size' | 'root'>): void => {
  if (size <= tree.size() && tree.root(size).toString('hex') === root) return
  const fault =
    size > tree.size()
      ? `the store has ${tree.size()} leaves of the ${size} that the last checkpoint counts`
      : `the first ${size} leaves in the store have another root than the last checkpoint`
  throw new ToolError('unavailable', `The ledger does not match what it has published: ${fault}.`, {
    hint: 'Leaves were lost or changed. Restore the store from a backup that has them all; the ledger goes on from nothing else. Nothing was changed.',
  })
}
