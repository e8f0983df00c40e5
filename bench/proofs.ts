import { join } from 'node:path'
import { hashLeaf, openTree } from '../mcp/lib/merkle-tree.ts'
import { makeSigningKey, openSign } from '../mcp/ports/sign/sign.ts'
import { appendLeaf } from '../mcp/services/proof/ledger/leaf.ts'
import { openTransparencyLog } from '../mcp/services/proof/ledger/log.ts'
import { verifyProofFile } from '../mcp/services/proof/proofs/verify/file.ts'
import { openEmbedded } from '../store/embedded/open.ts'
import { startProof } from '../test/services/proof/run.ts'
import { newFolder, removeFolders } from './folders.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'

const writers = 64
const rounds = 12
const roundMs = 400
const million = 1_000_000
const clock = { now: () => new Date() }

/** How often `write` is done in a second by all writers together. */
const measureRate = async (write: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  let count = 0
  const work = async () => {
    while (performance.now() - began < roundMs) {
      await write()
      count++
    }
  }
  await Promise.all(Array.from({ length: writers }, work))
  return (count * 1000) / (performance.now() - began)
}

const appends: Bench = {
  name: 'ledger of proofs, durable leaves, 64 writers',
  unit: 'x',
  against: 'bare appends to the store',
  aim: { atLeast: 0.7 },
  async measure() {
    const store = await openEmbedded({ dir: join(await newFolder(), 'proofs') })
    const sign = openSign(makeSigningKey())
    const log = await openTransparencyLog({ store, clock, sign, ledgerOrigin: 'auto', reporters: [] })
    const hash = '0'.repeat(64)
    const facts = { type: 'witness', event_id: hash, artifact_hash: hash } as const
    const { leaf } = await appendLeaf(store, facts, clock.now())
    const ours: number[] = []
    const bare: number[] = []
    // In turn, so that both meet the same machine; the first round warms up.
    for (let round = 0; round <= rounds; round++) {
      const own = await measureRate(() => appendLeaf(store, facts, clock.now()))
      const other = await measureRate(() => store.append('bare', leaf))
      if (round > 0) {
        ours.push(own)
        bare.push(other)
      }
    }
    await log.sync()
    const leaves = log.size()
    log.close()
    await store.close()
    const note = `${median(ours).toFixed(0)}/s against ${median(bare).toFixed(0)}/s; ${leaves.toLocaleString('en')} leaves in the tree`
    return { value: median(ours.map((rate, n) => rate / (bare[n] ?? Number.NaN))), note }
  },
}

const inclusion: Bench = {
  name: 'inclusion proof among a million leaves',
  unit: 'ms',
  aim: { below: 0.2 },
  async measure() {
    const tree = openTree()
    const began = performance.now()
    for (let n = 0; n < million; n++) tree.append(hashLeaf(`leaf ${n}`))
    const seconds = (performance.now() - began) / 1000
    const times: number[] = []
    for (let n = 0; n < 2000; n++) {
      const start = performance.now()
      tree.inclusion((n * 7919) % (million - 3), million - 3)
      times.push(performance.now() - start)
    }
    return { value: median(times), note: `the tree grew in ${seconds.toFixed(1)} s` }
  },
}

const verification: Bench = {
  name: 'verification of a proof and its way into the ledger, by a client, processor time',
  unit: 'ms',
  aim: { below: 3 },
  async measure() {
    const proof = await startProof()
    for (let n = 0; n < 8; n++) await proof.buy('witness', { source: 'a', body: `claim ${n}` })
    const { proof_id } = await proof.buy('witness', { source: 'a', body: 'the claim' })
    const text = JSON.stringify(await proof.ask('get_proof', { proof_id }))
    const keysText = JSON.stringify(await proof.ask('list_verifier_keys', {}))
    await proof.stop()
    const times: number[] = []
    for (let n = 0; n < 300; n++) {
      const before = process.cpuUsage()
      const { valid } = verifyProofFile(text, { now: Math.floor(Date.now() / 1000), keysText })
      const { user, system } = process.cpuUsage(before)
      times.push((user + system) / 1000)
      if (!valid) throw new Error('the proof is not valid')
    }
    return { value: median(times), note: 'BIP-340, Ed25519 and the hashes, as text in' }
  },
}

/** Proofs and the ledger that has them. */
export const proofs: Group = {
  name: 'proofs',
  benches: [appends, inclusion, verification],
  close: removeFolders,
}
