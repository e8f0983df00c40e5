import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFolder } from '../../../mcp/ports/files/folder.ts'
import { compile } from '../../store/compiled.ts'
import { runs } from '../../stress.ts'

const program = compile('../ports/files/kill-child')

test('a process that is killed while it writes leaves no half file, and loses none that it told of', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'octagent-files-kill-'))
  const acknowledged = new Set<string>()
  try {
    for (let life = 0; life < runs(60); life++) {
      const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
      const exit = once(child, 'exit')
      let output = ''
      child.stdout.on('data', (chunk: Buffer) => {
        if (output === '') setTimeout(() => child.kill('SIGKILL'), Math.random() * 60)
        output += chunk.toString()
      })
      await exit
      for (const [hash] of output.matchAll(/[0-9a-f]{64}(?=\n)/g)) acknowledged.add(hash)
    }
    const there = new Set<string>()
    for (const part of await readdir(folder)) {
      if (part.length !== 2) continue
      for (const name of await readdir(join(folder, part))) {
        const bytes = await readFile(join(folder, part, name))
        expect(createHash('sha256').update(bytes).digest('hex')).toBe(name)
        there.add(name)
      }
    }
    expect([...acknowledged].filter(hash => !there.has(hash))).toEqual([])
    expect(acknowledged.size).toBeGreaterThan(0)
    const files = openFolder(folder)
    for (const hash of acknowledged) expect(await files.stat(hash)).toMatchObject({ sha256: hash })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
