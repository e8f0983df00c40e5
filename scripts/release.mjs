// Makes a release of what waits in .changes/: a section of CHANGELOG.md, the version, one commit and its tag.
//   npm run release                  the version follows from the changes
//   npm run release -- 1.0.0         this version
//   npm run release -- --dry-run     shows the section and changes nothing
// Pushes nothing. Node built-ins and git only.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const bumps = ['patch', 'minor', 'major']
const headings = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']

const git = (...args) =>
  execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

const fail = (detail, hint) => {
  throw new Error(hint ? `${detail}\n${hint}` : detail)
}

/** Entries by heading. An entry is a list item with the lines that continue it; anything else is refused with its place. */
const parseEntries = (text, place) => {
  const entries = new Map()
  let current
  for (const [n, line] of text.split('\n').entries()) {
    const where = `${place(n)}: "${line}"`
    const heading = /^### (.+)$/.exec(line)?.[1]
    if (heading !== undefined) {
      if (!headings.includes(heading)) fail(`${where} is none of ${headings.join(', ')}.`)
      current = entries.get(heading) ?? []
      entries.set(heading, current)
    } else if (line.startsWith('- ')) {
      if (!current) fail(`${where} stands under no heading.`, `Put "### Added" or another above it.`)
      current.push(line)
    } else if (/^ {2}\S/.test(line) && current?.length > 0) current.push(`${current.pop()}\n${line}`)
    else if (line.trim() !== '')
      fail(`${where} is no entry.`, 'An entry begins with "- "; its further lines with two spaces.')
  }
  for (const [heading, lines] of entries)
    if (lines.length === 0) fail(`${place(0)}: "${heading}" has no entry.`)
  return entries
}

const parseChange = file => {
  const text = readFileSync(file, 'utf8').replaceAll('\r\n', '\n')
  const [, bump, body] = /^---\nbump: *(\w+) *\n---\n([\s\S]*)$/.exec(text) ?? []
  if (!bumps.includes(bump))
    fail(`${file} does not begin with a bump of ${bumps.join(', ')}.`, 'See .changes/README.md for the form.')
  const entries = parseEntries(body, n => `${file}:${n + 4}`)
  if (entries.size === 0) fail(`${file} has no entry.`, 'See .changes/README.md for the form.')
  return { file, bump, entries }
}

/** CHANGELOG.md, cut around the section of what is not released. */
const parseChangelog = text => {
  const marker = '\n## Unreleased\n'
  const start = text.indexOf(marker)
  if (start < 0) fail('CHANGELOG.md has no section "## Unreleased".')
  const from = start + marker.length
  const next = text.indexOf('\n## ', from)
  const to = next < 0 ? text.length : next + 1
  const line = text.slice(0, from).split('\n').length
  return {
    before: text.slice(0, from),
    entries: parseEntries(text.slice(from, to), n => `CHANGELOG.md:${line + n}`),
    after: text.slice(to),
  }
}

const parseVersion = text => {
  const [, ...numbers] =
    /^(\d+)\.(\d+)\.(\d+)$/.exec(text) ?? fail(`"${text}" is no version.`, 'Give three numbers: 1.2.3.')
  return numbers.map(Number)
}

const isAfter = (a, b) => {
  const at = a.findIndex((part, n) => part !== b[n])
  return at >= 0 && a[at] > b[at]
}

/** Below 1.0.0 what breaks raises the second number, as SemVer has it; the first is raised by hand. */
const nextVersion = ([major, minor, patch], bump) => {
  if (bump === 'major' && major > 0) return [major + 1, 0, 0]
  if (bump === 'patch') return [major, minor, patch + 1]
  return [major, minor + 1, 0]
}

const section = sources =>
  headings
    .map(heading => [heading, sources.flatMap(entries => entries.get(heading) ?? [])])
    .filter(([, lines]) => lines.length > 0)
    .map(([heading, lines]) => `### ${heading}\n\n${lines.join('\n')}\n`)
    .join('\n')

const plan = wanted => {
  const changes = readdirSync('.changes')
    .filter(name => name.endsWith('.md') && name !== 'README.md')
    .sort()
    .map(name => parseChange(`.changes/${name}`))
  const changelog = parseChangelog(readFileSync('CHANGELOG.md', 'utf8'))
  if (changes.length === 0 && changelog.entries.size === 0)
    fail('Nothing waits for a release.', 'See .changes/README.md.')
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const current = parseVersion(version)
  const isTagged = name => git('tag', '--list', `v${name}`) !== ''
  const highest = changes.reduce(
    (bump, change) => (bumps.indexOf(change.bump) > bumps.indexOf(bump) ? change.bump : bump),
    'patch',
  )
  // Before the first release the version stands already. The file tells: a shallow clone has no tags.
  const isFirst = !/^## \d/m.test(changelog.after)
  const proposed = isFirst ? current : nextVersion(current, highest)
  const chosen = wanted === undefined ? proposed : parseVersion(wanted)
  const name = chosen.join('.')
  if (isTagged(name)) fail(`v${name} is released already.`)
  if (!isFirst && !isAfter(chosen, current)) fail(`${name} does not come after ${version}.`)
  if (isFirst && isAfter(current, chosen)) fail(`${name} comes before ${version}.`)
  return {
    name,
    changes,
    changelog,
    text: section([changelog.entries, ...changes.map(({ entries }) => entries)]),
  }
}

/** Writes the version where a manifest has it, and leaves every other byte. */
const setVersion = (file, name, times) => {
  let left = times
  const text = readFileSync(file, 'utf8').replace(/^(\s*"version": )"[^"]*"/gm, (line, head) =>
    left-- > 0 ? `${head}"${name}"` : line,
  )
  writeFileSync(file, text)
}

const chart = 'ops/chart/Chart.yaml'

/** The chart has the version of the program, whose image it takes. */
const setChartVersion = name =>
  writeFileSync(chart, readFileSync(chart, 'utf8').replace(/^(version|appVersion): .*$/gm, `$1: ${name}`))

const release = ({ name, changes, changelog, text }, today) => {
  const files = ['CHANGELOG.md', 'package.json', 'package-lock.json', chart]
  try {
    writeFileSync(
      'CHANGELOG.md',
      `${changelog.before}\n## ${name} - ${today}\n\n${text}${changelog.after && `\n${changelog.after}`}`,
    )
    setVersion('package.json', name, 1)
    setVersion('package-lock.json', name, 2)
    setChartVersion(name)
    for (const { file } of changes) rmSync(file)
    git('add', '--', ...files, ...changes.map(({ file }) => file))
    git('commit', '--message', `chore(release): v${name}`)
  } catch (thrown) {
    // The tree was clean before, so this takes back our own writes and nothing else.
    git('reset', '--hard', '--quiet', 'HEAD')
    throw thrown
  }
  // The headings begin with "#", which git would take for comments.
  git('tag', '--annotate', '--cleanup=verbatim', `v${name}`, '--message', `v${name}\n\n${text}`)
}

try {
  const words = process.argv.slice(2)
  const isDry = words.includes('--dry-run')
  const [wanted, ...more] = words.filter(word => word !== '--dry-run')
  if (more.length > 0) fail(`"${more[0]}" is not understood.`, 'npm run release -- [version] [--dry-run]')
  const planned = plan(wanted)
  const today = new Date().toISOString().slice(0, 10)
  if (isDry) console.log(`## ${planned.name} - ${today}\n\n${planned.text}`)
  else {
    const dirty = git('status', '--porcelain')
    if (dirty !== '') fail(`The work tree has changes of its own:\n${dirty}`, 'Commit or stash them first.')
    release(planned, today)
    console.log(`Committed and tagged v${planned.name}. Publish it with: git push --follow-tags`)
  }
} catch (thrown) {
  console.error(thrown.stderr?.toString().trim() || thrown.message)
  process.exit(1)
}
