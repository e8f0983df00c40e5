import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { checkFactTables, factTable, pattern } from '../../mcp/lib/facts.ts'

/** The tables of a review are part of its code, and imported. */
const isFactTable = (file: string) =>
  /(?:^|\/)data\/[^/]+\.json$/.test(file) && !file.startsWith('mcp/services/proof/review/')

test('every table that lies beside the code is declared, and fits its schema', async () => {
  const all = ['mcp', 'a2a-adapter'].flatMap(room =>
    (readdirSync(room, { recursive: true }) as string[]).map(file => join(room, file)),
  )
  for (const file of all.filter(file => file.endsWith('.ts')))
    if (readFileSync(file, 'utf8').includes('= factTable(')) await import(pathToFileURL(file).href)
  const tables = checkFactTables().map(place => relative('.', fileURLToPath(place)))
  expect(tables).not.toEqual([])
  // What its code imports, since a type is made of it, names its source, too.
  const hasSource = (file: string) => typeof JSON.parse(readFileSync(file, 'utf8')).source === 'string'
  expect(all.filter(isFactTable).filter(file => !tables.includes(file) && !hasSource(file))).toEqual([])
})

test('a table is read when it is first asked for, and its file is named where it does not fit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'octagent-facts-'))
  const place = pathToFileURL(join(folder, 'trees.json'))
  const trees = factTable(place, z.array(pattern))
  writeFileSync(place, JSON.stringify({ source: 'a walk', facts: ['(?i)^oak$', 7] }))
  expect(checkFactTables).toThrow(/trees\.json does not fit: .*expected string/s)
  writeFileSync(place, JSON.stringify({ source: 'a walk', facts: ['(?i)^oak$'] }))
  expect(trees()).toEqual([/^oak$/i])
  rmSync(folder, { recursive: true })
  expect(trees()).toHaveLength(1)
})
