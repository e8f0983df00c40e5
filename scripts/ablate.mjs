// Leaves out one rule of a list at a time and counts the labelled texts that are read otherwise then: a rule that moves nothing, or
// only the one text that it was written for, goes. `node scripts/ablate.mjs contacts mcp/lib/text/contact/handle.ts`, with any
// number of files: a rule is an entry of an array or of a table in them, also where they are JSON. The build in dist/ is changed
// and put back, so nothing else may use it meanwhile. See docs/testing.md.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseSync, transformSync } from 'rolldown/utils'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const [name, ...files] = process.argv.slice(2)

const importTest = file => {
  const { code } = transformSync(file, readFileSync(file, 'utf8'), { lang: 'ts' })
  return import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)
}

const importBuilt = file => import(`../dist/${file}`)

const entityMistakes = async (file, isRight) => {
  const { findEntities } = await importBuilt('mcp/services/data/entities/find.js')
  const sets = JSON.parse(readFileSync(`test/services/data/entities/${file}.json`, 'utf8'))
  const texts = Object.values(sets).flat()
  const mistakes = []
  for (const [text, ...answers] of texts) {
    const { found } = await findEntities(text, { reference: new Date('2016-11-07') })
    if (!isRight(found, answers)) mistakes.push(text)
  }
  return { [file]: mistakes }
}

/** The texts of each labelled set that are read wrongly. */
const judges = {
  async contacts() {
    const { findContactLeaks } = await importBuilt('mcp/lib/text/contact-leak.js')
    const mistakes = {}
    for (const line of readFileSync('test/lib/text/contact-cases.jsonl', 'utf8').trim().split('\n')) {
      const { set, isContact, text } = JSON.parse(line)
      mistakes[set] ??= []
      if (findContactLeaks(text).length > 0 !== isContact) mistakes[set].push(text)
    }
    return mistakes
  },
  amounts: () =>
    entityMistakes('amounts', ({ money }, [amount]) =>
      money.some(one => Number(one.amount) === Number(amount)),
    ),
  dates: () =>
    entityMistakes('dates', ({ dates }, readings) => dates.some(({ iso }) => readings.includes(iso))),
  /** Fields of labelled pages that are told otherwise than their readers would. */
  async pages() {
    const { metadata } = await importBuilt('mcp/lib/page/metadata.js')
    const { parsePage } = await importBuilt('mcp/lib/page/parse-page.js')
    const { labelledPages, laterPages } = await importTest('test/services/data/metadata-pages.ts')
    const mistakes = []
    for (const { name, html, url, truth } of [...labelledPages, ...laterPages]) {
      const { document } = await parsePage(html)
      const page = await metadata.read({ document, url, status: 200, headers: {}, markup: html }, {})
      const values = { ...page, published: page.published_time, modified: page.modified_time }
      const same = (field, label) =>
        field === 'published' || field === 'modified'
          ? Date.parse(values[field]) === Date.parse(label)
          : String(values[field]).startsWith(label)
      for (const [field, labels] of Object.entries(truth))
        if (![labels].flat().some(label => same(field, label))) mistakes.push(`${name} ${field}`)
    }
    return { pages: mistakes }
  },
}

const judge = () => {
  const { stdout, status } = spawnSync(process.execPath, [process.argv[1], name], { encoding: 'utf8' })
  return status === 0 ? JSON.parse(stdout) : undefined
}

const visit = (node, onNode) => {
  if (typeof node !== 'object' || node === null) return
  if (typeof node.type === 'string') onNode(node)
  for (const inner of Object.values(node)) visit(inner, onNode)
}

const isRule = node =>
  /^(?:Literal|TemplateLiteral|TaggedTemplateExpression|NewExpression|SpreadElement)$/.test(node?.type) ||
  (node?.type === 'ArrayExpression' && isRule(node.elements[0])) ||
  (node?.type === 'ObjectExpression' && node.properties.some(({ key }) => key.value === 'pattern'))

/** Where the rules of a file stand: the entries of lists of four and more patterns, words or detectors. */
const rulesIn = (file, code) => {
  const source = file.endsWith('.json') ? `x = ${code}` : code
  const shift = source.length - code.length
  const rules = []
  visit(parseSync('rules.js', source).program, ({ type, elements }) => {
    if (type !== 'ArrayExpression' || elements.length < 4 || !elements.every(isRule)) return
    for (const [at, { start, end }] of elements.entries()) {
      const from = elements[at + 1] || at === 0 ? start : elements[at - 1].end
      const to = elements[at + 1]?.start ?? end
      rules.push({ from: from - shift, to: to - shift, text: source.slice(start, end) })
    }
  })
  return rules
}

if (files.length === 0) console.log(JSON.stringify(await judges[name]()))
else {
  const all = judge()
  const wrong = Object.fromEntries(Object.entries(all).map(([set, texts]) => [set, new Set(texts)]))
  for (const file of files) {
    const built = `dist/${file.replace(/\.ts$/, '.js')}`
    const code = readFileSync(built, 'utf8')
    try {
      for (const { from, to, text } of rulesIn(built, code)) {
        writeFileSync(built, code.slice(0, from) + code.slice(to))
        const without = judge()
        const moved = Object.entries(without ?? {}).map(([set, texts]) => {
          const lost = texts.filter(one => !wrong[set].has(one)).length
          return [set, lost, texts.length - lost - wrong[set].size]
        })
        const sum = moved.filter(([, lost, change]) => lost > 0 || change < 0)
        const told = sum.map(([set, lost, change]) => `${set} -${lost} +${-change}`).join(', ')
        console.log(`${without ? told || 'nothing' : 'needed'}\t${text.replace(/\s+/g, ' ').slice(0, 150)}`)
      }
    } finally {
      writeFileSync(built, code)
    }
  }
}
