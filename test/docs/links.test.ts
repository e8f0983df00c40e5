import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readBlocks } from './document.ts'

const guides = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.md'))
  .map(name => `docs/${name}`)
const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', '.changes/README.md', ...guides]

/** Relative targets of the links in a Markdown file, code left out. */
const linksIn = (file: string): string[] => {
  const text = readFileSync(file, 'utf8')
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, 'code')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => to).filter(to => !/^[a-z]+:/.test(to))
}

/** The anchors that the headings of a Markdown file make, as code hosts spell them. */
const anchorsIn = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

test.each(documents)('every link of %s leads somewhere', file => {
  const dead = linksIn(file).filter(link => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? file : join(dirname(file), path)
    if (!existsSync(target)) return true
    return anchor !== undefined && !anchorsIn(target).includes(anchor)
  })
  expect(dead).toEqual([])
})

/** What the guides have a reader write, and names that stand for many. */
const written = /\/(?:pier|weigh|photo|machine|voucher)\b|^(?:buy|stocks)\.mjs$|\{\w+\}/

test('every source that the documents name is there', () => {
  const sources = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n')
  const isThere = (name: string) =>
    sources.some(source => source === name || source.startsWith(`${name}/`) || source.endsWith(`/${name}`))
  const rooms = new Set(sources.flatMap(source => (source.includes('/') ? [source.split('/')[0]] : [])))
  const missing = documents.flatMap(file =>
    [
      ...readFileSync(file, 'utf8')
        .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
        .matchAll(/`([\w.@-]+(?:\/[\w.@{},-]+)*)\/?`/g),
    ]
      .map(([, name = '']) => name)
      .filter(name => (name.includes('/') && rooms.has(name.split('/')[0])) || /\.(?:ts|mjs|sol)$/.test(name))
      .filter(name => !written.test(name))
      .flatMap(name => {
        const [list = '', names = ''] = /\{(.+)\}/.exec(name) ?? []
        return names.split(',').map(one => name.replace(list, one))
      })
      .filter(name => !isThere(name))
      .map(name => `${file}: ${name}`),
  )
  expect(missing).toEqual([])
})

test('the index leads to every document, and the README to the index', () => {
  const targets = linksIn('docs/index.md').map(link => join('docs', link))
  expect(targets).toEqual(
    expect.arrayContaining([
      ...guides.filter(guide => guide !== 'docs/index.md'),
      'CONTRIBUTING.md',
      'README.md',
    ]),
  )
  expect(linksIn('README.md')).toEqual(expect.arrayContaining(['docs/index.md', 'SECURITY.md']))
})

test('the tool that the README shows is one of the program', () => {
  const [block] = readBlocks('README.md').filter(({ language }) => language === 'ts')
  expect(block?.path).toBe('mcp/services/cat/kibble.ts')
  expect(readFileSync('mcp/services/cat/kibble.ts', 'utf8')).toContain(block?.text)
})
