import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { verifyConsistency } from '../../../../mcp/lib/merkle-proof.ts'
import { makeSigningKey, openSign } from '../../../../mcp/ports/sign/sign.ts'
import { openTransparencyLog } from '../../../../mcp/services/proof/ledger/log.ts'
import {
  isSignedBy,
  parseCheckpointBody,
  parseNote,
} from '../../../../mcp/services/proof/proofs/verify/note.ts'
import { openEmbedded } from '../../../../store/embedded/open.ts'
import { compile } from '../../../store/compiled.ts'

const program = compile('../services/proof/ledger/kill-child')

type Line = { leaf_hash?: string; note?: string }

/** Lets a process append and kills it with -9 some milliseconds after it has said `count` things. */
const killed = async (args: string[], count: number, ms: number): Promise<Line[]> => {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: Line[] = []
  for await (const text of createInterface({ input: child.stdout })) {
    if (!text.endsWith('}')) continue
    lines.push(JSON.parse(text) as Line)
    if (lines.length === count) setTimeout(() => child.kill('SIGKILL'), ms)
  }
  return lines
}

test('killed with -9 at random, it has every leaf that it acknowledged, and no checkpoint forks', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-proof-'))
  const signingKey = makeSigningKey()
  const lines: Line[] = []
  for (let round = 0; round < 6; round++)
    lines.push(...(await killed([dir, signingKey], 20 + 15 * round, Math.random() * 12)))
  const store = await openEmbedded({ dir })
  const clock = { now: () => new Date() }
  const sign = openSign(signingKey)
  const log = await openTransparencyLog({ store, clock, sign, ledgerOrigin: 'auto', reporters: [] })
  const hashes = lines.flatMap(({ leaf_hash = [] }) => leaf_hash)
  expect(hashes.length).toBeGreaterThan(200)
  const places = await Promise.all(hashes.map(hash => log.find(hash)))
  expect(places.filter(place => place === undefined)).toEqual([])
  expect(new Set(places).size).toBe(hashes.length)
  const size = log.size()
  const now = { size, root: new Uint8Array(Buffer.from(log.root(size), 'hex')) }
  const notes = lines.flatMap(({ note = [] }) => note)
  expect(notes.length).toBeGreaterThan(20)
  for (const text of notes) {
    const note = parseNote(text)
    const body = parseCheckpointBody(note?.text ?? '')
    if (!note || !body) throw new Error(`no checkpoint: ${text}`)
    expect(isSignedBy(note, log.key)).toBe(true)
    const path = log.consistency(body.size, size).map(hash => new Uint8Array(Buffer.from(hash, 'hex')))
    expect(verifyConsistency(body, now, path)).toBe(true)
  }
  log.close()
  await store.close()
  await rm(dir, { recursive: true, force: true })
})
