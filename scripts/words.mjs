// How plain the words of the sources are: `node scripts/words.mjs [--list]`. A report, no gate (docs/style.md).
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const tracked = execFileSync('git', ['ls-files', '*.ts'], { encoding: 'utf8' }).split('\n')
const sources = tracked.filter(file => file !== '' && !/^(?:test|bench)\//.test(file))
const isListing = process.argv.includes('--list')

const irregular =
  /^(?:told|kept|shown|made|given|taken|found|held|sent|known|seen|said|left|lost|begun|gone|done|meant|drawn|thrown|written|spoken|hidden|built|bound|bought|sold|paid|split|shut|cut|put|set)$/
/** Verbs and nouns that end as participles do. */
const plain = /^(?:open|listen|shorten|token|embed|even|seen|hidden|golden)$/
/** One word, in the form that a verb has after "was". */
const isParticiple = name =>
  /^[a-z]+$/.test(name) &&
  !plain.test(name) &&
  (irregular.test(name) || /(?:[^e]ed|[^e]en)$/.test(name)) &&
  name.length > 3

/** Names that are declared at the top level of a file: functions, constants, types and classes. */
const topLevel = /^(export )?(?:default )?(?:async )?(?:const|let|function|type|class)\*? (\w+)(.*)$/gm

const participles = []
const parsingReads = []
const exportsOf = new Map()
const comments = { all: 0, vague: [] }

for (const file of sources) {
  const text = readFileSync(file, 'utf8')
  for (const [, isExported, name, rest] of text.matchAll(topLevel)) {
    if (isParticiple(name)) participles.push(`${file}: ${name}`)
    // Reading is I/O; what takes a text and gives a value parses.
    if (/^read[A-Z]/.test(name) && /^ = \((?:text|value|source|input|line)\w*: string\)/.test(rest))
      parsingReads.push(`${file}: ${name}`)
    if (isExported) exportsOf.set(name, [...(exportsOf.get(name) ?? []), file])
  }
  for (const [, first] of text.matchAll(/\/\*\*\s*\*?\s*(\w+)/g)) {
    comments.all++
    if (/^(?:What|Whether|Who|Where)$/.test(first)) comments.vague.push(file)
  }
}

const shared = [...exportsOf].filter(([, files]) => new Set(files).size > 1)
const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`
const report = [
  ['bare participles as top-level names', participles.length, '≤ 20', participles],
  ['`read…` that parses a text', parsingReads.length, '0', parsingReads],
  [
    'doc comments that begin with What, Whether, Who or Where',
    percent(comments.vague.length, comments.all),
    '≤ 8 %',
    comments.vague,
  ],
  [
    'exported names that stand in several files',
    percent(shared.length, exportsOf.size),
    '≤ 4 %',
    shared.map(([name, files]) => `${name}: ${files.join(', ')}`),
  ],
]
for (const [what, value, aim, list] of report) {
  console.log(`${what}: ${value} (aim ${aim})`)
  if (isListing) for (const one of list) console.log(`  ${one}`)
}
