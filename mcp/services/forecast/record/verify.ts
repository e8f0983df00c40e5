import { keyFingerprint } from '../../../lib/key-fingerprint.ts'
import { hashLeaf, openTree } from '../../../lib/merkle-tree.ts'
import { toCalibration } from './calibration.ts'
import { type Signable, sha256, toCanonical } from './canonical.ts'
import { commitTo, readEntry } from './entry.ts'
import { readSnapshot, type SignedStatement, verifySignature } from './snapshot.ts'
import { openTally } from './tally.ts'

/** Everything that is needed to check a record without asking anybody. */
export type RecordBundle = {
  readonly signed: SignedStatement
  readonly entries: readonly { seq: number; canonical: string; question: string | null }[]
  readonly snapshots: readonly (SignedStatement & { day: string })[]
}

export type Check = { readonly name: string; readonly ok: boolean; readonly detail: string }

const check = (name: string, faults: readonly string[], good: string): Check => ({
  name,
  ok: faults.length === 0,
  detail: faults.length === 0 ? good : faults.slice(0, 5).join('; '),
})

/** Leaves in order, times that never fall, and each published content under the hash that was there before the outcome. */
const checkEntries = (entries: RecordBundle['entries']): string[] => {
  const faults: string[] = []
  const commitments = new Map<string, string>()
  const states = new Map<string, string>()
  let last = ''
  entries.forEach(({ canonical, question }, index) => {
    const entry = readEntry(canonical)
    if (entry.seq !== index) faults.push(`entry ${index} says that it is ${entry.seq}`)
    if (toCanonical(entry as unknown as Signable) !== canonical)
      faults.push(`entry ${index} is not canonical JSON`)
    if (entry.at < last) faults.push(`entry ${index} is older than the one before`)
    last = entry.at
    const state = states.get(entry.prediction)
    states.set(entry.prediction, entry.kind)
    if (entry.kind === 'registered') {
      if (state !== undefined) faults.push(`${entry.prediction} is registered twice`)
      commitments.set(entry.prediction, entry.commitment)
      return
    }
    const mayFollow = entry.kind === 'resolved' ? ['registered'] : ['registered', 'resolved']
    if (!mayFollow.includes(state ?? ''))
      faults.push(`${entry.prediction} is ${entry.kind} after ${state ?? 'nothing'}`)
    if (commitTo(entry.content) !== commitments.get(entry.prediction))
      faults.push(`${entry.prediction} does not say what it was registered with`)
    if (sha256(question ?? '') !== entry.content.question_sha256)
      faults.push(`${entry.prediction} shows another question than it was asked`)
    if (entry.content.created_at > entry.at) faults.push(`${entry.prediction} was made after its outcome`)
  })
  return faults
}

/** Builds the record anew and compares root and scores with what was signed, at each snapshot and now. */
const checkStatements = ({
  signed,
  snapshots,
  entries,
}: RecordBundle): { roots: string[]; scores: string[] } => {
  const roots: string[] = []
  const scores: string[] = []
  const tree = openTree()
  const tally = openTally()
  const statements = [
    ...snapshots.map(snapshot => ({ name: snapshot.day, ...readSnapshot(snapshot) })),
    { name: 'now', ...readSnapshot(signed) },
  ]
  for (const { name, tree_size, root, calibration, as_of } of statements) {
    for (const { canonical } of entries.slice(tree.size(), tree_size)) {
      tree.append(hashLeaf(canonical))
      tally.add(readEntry(canonical))
    }
    if (tree.size() !== tree_size)
      roots.push(`${name}: ${tree_size} entries were signed, ${tree.size()} are here`)
    else if (tree.root(tree_size).toString('hex') !== root) roots.push(`${name}: the root is another`)
    tally.advance(new Date(as_of))
    const [ours, theirs] = [toCanonical(toCalibration(tally)), toCanonical(calibration)]
    if (ours !== theirs) scores.push(`${name}: the scores are others than those that follow from the entries`)
  }
  return { roots, scores }
}

/**
 * Checks a record from nothing but its public rows: signatures, the chain of snapshots, the tree, the commitments, and that the
 * scores are what the entries add up to. `publicKey` (base64) pins the key; without it the record only has to be of one key.
 */
export const verifyRecord = async (bundle: RecordBundle, publicKey?: string): Promise<Check[]> => {
  const { signed, snapshots, entries } = bundle
  const key = publicKey ?? signed.public_key
  const statements = [
    ...snapshots.map(({ day, ...rest }) => ({ name: day, ...rest })),
    { name: 'now', ...signed },
  ]
  const signatures = statements.flatMap(({ name, canonical, signature, public_key }) => [
    ...(public_key === key ? [] : [`${name} is signed under another key`]),
    ...(verifySignature(canonical, signature, key) ? [] : [`${name}: the signature does not hold`]),
  ])
  const chain = statements.flatMap(({ name, ...statement }, index) => {
    const before = statements[index - 1]
    const wanted = before ? sha256(before.canonical) : null
    return readSnapshot(statement).previous === wanted ? [] : [`${name} does not name the snapshot before it`]
  })
  const entryFaults = checkEntries(entries)
  const { roots, scores } = checkStatements(bundle)
  return [
    check(
      'signatures',
      signatures,
      `${statements.length} hold under key ${keyFingerprint(Buffer.from(key, 'base64'))}`,
    ),
    check('chain', chain, `${snapshots.length} daily snapshots, each naming the one before`),
    check('entries', entryFaults, `${entries.length} in order, every published prediction under its hash`),
    check('tree', roots, 'every signed root follows from the entries'),
    check('scores', scores, 'every signed score follows from the entries'),
  ]
}
