import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const released = [
  'CHANGELOG.md',
  'package.json',
  'package-lock.json',
  '.changes',
  'scripts/release.mjs',
  'ops/chart/Chart.yaml',
]

let dir: string
const at = (path: string) => join(dir, path)
const read = (path: string) => readFileSync(at(path), 'utf8')

// What the machine has configured for git stays out: no hooks, no signing.
const environment = {
  PATH: process.env.PATH ?? '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
}
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: dir, env: environment, encoding: 'utf8' }).trim()
const commit = () => {
  git('add', '--all')
  git('commit', '--quiet', '--message', 'test: wait')
}
const release = (args: string[] = [], more: Record<string, string> = {}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/release.mjs', ...args], {
    cwd: dir,
    env: { ...environment, ...more },
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}
const change = (name: string, bump: string, body: string) =>
  writeFileSync(at(`.changes/${name}.md`), `---\nbump: ${bump}\n---\n\n${body}\n`)

/** A copy of this repository, after the release of what waits in it. */
const withFirstRelease = () => {
  writeFileSync(at('.changes/first.md'), '---\nbump: patch\n---\n\n### Fixed\n\n- The first.\n')
  commit()
  expect(release()).toMatchObject({ status: 0 })
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'octagent-release-'))
  for (const path of released) cpSync(path, at(path), { recursive: true })
  // What waits in this repository is not the subject.
  for (const name of readdirSync(at('.changes'))) if (name !== 'README.md') rmSync(at(`.changes/${name}`))
  git('init', '--quiet', '--initial-branch=main')
  commit()
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

test('what waits in this repository can be released', () => {
  change('one', 'patch', '### Fixed\n\n- One.')
  expect(release(['--dry-run'])).toMatchObject({ status: 0 })
})

test('gathers entries under their headings, deletes the files, commits and tags', () => {
  withFirstRelease()
  const { version } = JSON.parse(read('package.json'))
  change('scales', 'minor', '### Fixed\n\n- The bowl.\n\n### Added\n\n- The scales,\n  in pounds too.')
  change('bowl', 'patch', '### Fixed\n\n- The lid.')
  commit()
  const [major, minor] = version.split('.').map(Number)
  const next = `${major}.${minor + 1}.0`
  expect(release()).toEqual({
    status: 0,
    said: `Committed and tagged v${next}. Publish it with: git push --follow-tags\n`,
  })

  const date = /\d{4}-\d\d-\d\d/.source
  const section = '### Added\n\n- The scales,\n  in pounds too.\n\n### Fixed\n\n- The lid.\n- The bowl.\n'
  expect(read('CHANGELOG.md')).toMatch(
    new RegExp(`\n## Unreleased\n\n## ${next} - ${date}\n\n${section}\n## ${version} - ${date}\n`),
  )
  expect(JSON.parse(read('package.json')).version).toBe(next)
  const lock = JSON.parse(read('package-lock.json'))
  expect([lock.version, lock.packages[''].version]).toEqual([next, next])
  expect(readdirSync(at('.changes'))).toEqual(['README.md'])
  expect(git('status', '--porcelain')).toBe('')
  expect(git('log', '-1', '--format=%s')).toBe(`chore(release): v${next}`)
  expect(git('rev-parse', `v${next}^{commit}`)).toBe(git('rev-parse', 'HEAD'))
  expect(git('tag', '--list', '--format=%(contents)', `v${next}`)).toContain(section.trim())
  expect(git('diff', '--name-status', 'HEAD^').split('\n')).toEqual([
    'D\t.changes/bowl.md',
    'D\t.changes/scales.md',
    'M\tCHANGELOG.md',
    'M\tops/chart/Chart.yaml',
    'M\tpackage-lock.json',
    'M\tpackage.json',
  ])
  expect(git('diff', '--numstat', 'HEAD^', '--', 'package.json', 'package-lock.json')).toBe(
    '2\t2\tpackage-lock.json\n1\t1\tpackage.json',
  )
  expect(read('ops/chart/Chart.yaml')).toContain(`\nversion: ${next}\nappVersion: ${next}\n`)
})

test('the first release has the version that stands, and what was written in the changelog by hand', () => {
  writeFileSync(at('CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n### Fixed\n\n- By hand.\n')
  const { version } = JSON.parse(read('package.json'))
  withFirstRelease()
  expect(git('tag')).toBe(`v${version}`)
  const [head, unreleased, first] = read('CHANGELOG.md').split(/^## .*$/m)
  expect([head, unreleased]).toEqual(['# Changelog\n\n', '\n\n'])
  expect(first).toMatch(/^\n\n### Fixed\n\n- By hand\.\n[\s\S]*- The first\.\n$/)
})

test.each([
  ['0.9.4', 'patch', '0.9.5'],
  ['0.9.4', 'minor', '0.10.0'],
  ['0.9.4', 'major', '0.10.0'],
  ['1.9.4', 'patch', '1.9.5'],
  ['1.9.4', 'minor', '1.10.0'],
  ['1.9.4', 'major', '2.0.0'],
])('from %s a %s change makes %s', (from, bump, to) => {
  withFirstRelease()
  const { version } = JSON.parse(read('package.json'))
  for (const [file, indent] of [
    ['package.json', '  '],
    ['package-lock.json', '  '],
  ] as const)
    writeFileSync(
      at(file),
      read(file).replace(
        `
${indent}"version": "${version}"`,
        `
${indent}"version": "${from}"`,
      ),
    )
  change('one', 'patch', '### Fixed\n\n- One.')
  change('two', bump, '### Changed\n\n- Two.')
  commit()
  expect(release(['--dry-run']).said).toMatch(new RegExp(`^## ${to.replaceAll('.', '\\.')} - `))
})

test('takes the version it is given, and none that is not higher', () => {
  withFirstRelease()
  change('one', 'patch', '### Fixed\n\n- One.')
  commit()
  expect(release(['0.0.1'])).toMatchObject({
    status: 1,
    said: expect.stringContaining('does not come after'),
  })
  expect(release(['1.0'])).toMatchObject({ status: 1, said: expect.stringContaining('Give three numbers') })
  expect(release(['7.0.0', '8.0.0'])).toMatchObject({
    status: 1,
    said: expect.stringContaining('"8.0.0" is not understood'),
  })
  expect(release(['7.0.0'])).toMatchObject({ status: 0 })
  expect(git('tag')).toContain('v7.0.0')
  change('two', 'patch', '### Fixed\n\n- Two.')
  commit()
  expect(release(['7.0.0'])).toMatchObject({ status: 1, said: expect.stringContaining('released already') })
})

test('a dry run writes nothing', () => {
  change('one', 'patch', '### Fixed\n\n- One.')
  const before = [git('rev-parse', 'HEAD'), git('status', '--porcelain'), read('CHANGELOG.md')]
  expect(release(['--dry-run']).said).toContain('- One.')
  expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), read('CHANGELOG.md')]).toEqual(before)
  expect(git('tag')).toBe('')
})

test.each([
  ['no bump', '### Fixed\n\n- One.\n', 'does not begin with a bump'],
  ['an unknown bump', '---\nbump: huge\n---\n\n### Fixed\n\n- One.\n', 'does not begin with a bump'],
  [
    'an unknown heading',
    '---\nbump: patch\n---\n\n### News\n\n- One.\n',
    '.changes/bad.md:5: "### News" is none of Added',
  ],
  ['no heading', '---\nbump: patch\n---\n\n- One.\n', 'stands under no heading'],
  ['no entry', '---\nbump: patch\n---\n', 'has no entry'],
  ['an empty heading', '---\nbump: patch\n---\n\n### Fixed\n', '"Fixed" has no entry'],
  ['prose', '---\nbump: patch\n---\n\n### Fixed\n\nOne.\n', '.changes/bad.md:7: "One." is no entry'],
])('refuses a change with %s, and names the file', (_, text, why) => {
  writeFileSync(at('.changes/bad.md'), text)
  commit()
  const { status, said } = release()
  expect(said).toContain('.changes/bad.md')
  expect(said).toContain(why)
  expect(status).toBe(1)
  expect(git('tag')).toBe('')
})

test('refuses when nothing waits', () => {
  withFirstRelease()
  expect(release()).toEqual({ status: 1, said: 'Nothing waits for a release.\nSee .changes/README.md.\n' })
})

test('refuses a tree with changes that are not committed, and leaves them', () => {
  change('one', 'patch', '### Fixed\n\n- One.')
  const { status, said } = release()
  expect([status, said]).toEqual([1, expect.stringContaining('.changes/one.md')])
  expect(existsSync(at('.changes/one.md'))).toBe(true)
})

test('a commit that git refuses leaves the tree as it was', () => {
  change('one', 'patch', '### Fixed\n\n- One.')
  commit()
  writeFileSync(at('.git/hooks/pre-commit'), '#!/bin/sh\necho "not today" >&2\nexit 1\n', { mode: 0o755 })
  expect(release()).toEqual({ status: 1, said: 'not today\n' })
  expect(git('status', '--porcelain')).toBe('')
  expect(existsSync(at('.changes/one.md'))).toBe(true)
  expect(git('tag')).toBe('')
})
