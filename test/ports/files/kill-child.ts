import { randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import { openFolder } from '../../../mcp/ports/files/folder.ts'

const [folder = ''] = process.argv.slice(2)
const files = openFolder(folder)

async function* newBytes(): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < 40; n++) yield randomBytes(20_000)
}

for (;;) {
  const { sha256 } = await files.put(newBytes(), { maxBytes: 1_000_000 })
  writeSync(1, `${sha256}\n`)
}
