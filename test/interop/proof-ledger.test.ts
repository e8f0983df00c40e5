import { createPublicKey, type KeyObject } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { noteKeyId, parseNoteKey } from '../../mcp/services/proof/proofs/verify/note.ts'
import type { ProofBundle } from '../../mcp/services/proof/proofs/verify/proof.ts'
import { startProof } from '../services/proof/run.ts'
import { describeJudged, loadJudge } from './judges.ts'

type Entry = {
  canonicalizedBody: Buffer
  logIndex: string
  inclusionProof: {
    logIndex: string
    treeSize: string
    rootHash: Buffer
    hashes: Buffer[]
    checkpoint: { envelope: string }
  }
}
type Tlog = { logID: Buffer; baseURL: string; publicKey: KeyObject }
type Checkpoint = { logSize: bigint; logHash: Buffer }
type Judge = { default: { verifyCheckpoint(entry: Entry, tlogs: Tlog[]): Checkpoint } }
type MerkleJudge = { default: { verifyMerkleInclusion(entry: Entry, checkpoint: Checkpoint): void } }

describeJudged('clients', 'the ledger as the verifier of Sigstore sees it', () => {
  let proof: Awaited<ReturnType<typeof startProof>>
  beforeAll(async () => {
    proof = await startProof()
  })
  afterAll(() => proof.stop())

  const load = async () => {
    const [{ default: notes }, { default: trees }] = await Promise.all([
      loadJudge<Judge>('@sigstore/verify/dist/tlog/checkpoint.js'),
      loadJudge<MerkleJudge>('@sigstore/verify/dist/tlog/merkle.js'),
    ])
    const { keys } = (await proof.ask('list_verifier_keys', {})) as {
      keys: { verifier_key: string | null }[]
    }
    const key = parseNoteKey(keys.find(({ verifier_key }) => verifier_key !== null)?.verifier_key ?? '')
    if (!key) throw new Error('no key')
    const x = Buffer.from(key.publicKey).toString('base64url')
    const tlog = {
      logID: Buffer.from(noteKeyId(key)),
      baseURL: key.name,
      publicKey: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
    }
    return (bundle: ProofBundle): void => {
      const [, size = ''] = bundle.checkpoint.split('\n')
      const entry = {
        canonicalizedBody: Buffer.from(bundle.leaf),
        logIndex: String(bundle.index),
        inclusionProof: {
          logIndex: String(bundle.index),
          treeSize: size,
          rootHash: Buffer.alloc(32),
          hashes: bundle.inclusion.map(hash => Buffer.from(hash, 'hex')),
          checkpoint: { envelope: bundle.checkpoint },
        },
      }
      trees.verifyMerkleInclusion(entry, notes.verifyCheckpoint(entry, [tlog]))
    }
  }

  test('it accepts each proof, and none that was changed', async () => {
    const ids: string[] = []
    for (let n = 0; n < 9; n++)
      ids.push(String((await proof.buy('witness', { source: 'a', body: `claim ${n}` })).proof_id))
    const judge = await load()
    for (const proof_id of ids) {
      const bundle = (await proof.ask('get_proof', { proof_id })) as ProofBundle
      expect(() => judge(bundle)).not.toThrow()
      const [, size = ''] = bundle.checkpoint.split('\n')
      const changes: Partial<ProofBundle>[] = [
        { leaf: bundle.leaf.replace('witness', 'verdict') },
        { index: bundle.index === 2 ? 3 : 2 },
        { inclusion: bundle.inclusion.slice(1) },
        { checkpoint: bundle.checkpoint.replace(`\n${size}\n`, `\n${Number(size) + 1}\n`) },
      ]
      for (const change of changes) expect(() => judge({ ...bundle, ...change })).toThrow()
    }
  })
})
