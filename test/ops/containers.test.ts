// Costs: the program in a root of its own, as the image has it.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { listSettings } from '../../app/config.ts'
import { services } from '../../app/services.ts'
import manifest from '../../package.json' with { type: 'json' }
import { freePort } from '../free-port.ts'

const root = new URL('../..', import.meta.url).pathname
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const variables = new Set(
  listSettings(services).flatMap(({ settings }) => settings.map(({ variable }) => variable)),
)
const ofOthers = new Set(['NODE_ENV', 'NODE_DISABLE_COMPILE_CACHE', 'OCTAGENT_IMAGE', 'OCTAGENT_ENV'])
const ownNames = (text: string) =>
  text.match(/\b(?:OCTAGENT|OTEL)_[A-Z_]+\b|\bPUBLIC_URL\b|\bTRUST_PROXY\b|\bDATABASE_URL\b/g) ?? []

const dockerfile = read('ops/Dockerfile')

/** The command of an instruction in its exec form. */
const execOf = (instruction: string): string[] => {
  const [, json = '[]'] = new RegExp(`${instruction} (\\[.*\\])$`, 'm').exec(dockerfile) ?? []
  return JSON.parse(json) as string[]
}

/** What the second stage takes of the first, without its packages. */
const imageParts = (...first: string[]): string[] =>
  [...dockerfile.matchAll(/^COPY --from=build (.*) \S+$/gm)]
    .flatMap(([, paths = '']) => paths.split(' ').map(path => path.replace('/app/', '')))
    .filter(path => first.some(name => path.startsWith(name)))

test('names variables that there are', () => {
  const paths = [
    'Dockerfile',
    'compose.yaml',
    'octagent.service',
    'chart/values.yaml',
    'chart/templates/deployment.yaml',
  ]
  for (const path of paths) {
    const unknown = ownNames(read(`ops/${path}`)).filter(name => !variables.has(name) && !ofOthers.has(name))
    expect([path, unknown]).toEqual([path, []])
  }
})

test('the image lets in what the build reads, and no more', () => {
  const { include } = JSON.parse(read('app/tsconfig.json')) as { include: string[] }
  const folders = include
    .map(path => relative(root, join(root, 'app', path)))
    .filter(path => !path.includes('.') && !path.includes('*'))
  const allowed = read('ops/Dockerfile.dockerignore')
    .split('\n')
    .flatMap(line => (line.startsWith('!') ? [line.slice(1)] : []))
  expect(folders.filter(name => !allowed.includes(name))).toEqual([])
  expect(allowed.filter(name => !name.includes('*') && !existsSync(join(root, name)))).toEqual([])
  expect(allowed.some(name => /^(\.|node_modules|dist|test|bench)/.test(name))).toBe(false)
})

test('the image runs as nobody special, drains, and looks at itself', () => {
  expect(dockerfile).toMatch(/^USER node$/m)
  expect(dockerfile).toMatch(/^STOPSIGNAL SIGTERM$/m)
  expect(execOf('ENTRYPOINT')).toEqual(['node', 'dist/main.js'])
  expect(dockerfile.match(/^FROM /gm)).toHaveLength(2)
})

test('compose waits for the database, keeps the root read-only and leaves time to drain', () => {
  const { services: parts } = parse(read('ops/compose.yaml')) as {
    services: Record<
      string,
      { read_only?: boolean; cap_drop?: string[]; depends_on?: object; stop_grace_period?: string }
    >
  }
  expect(Object.keys(parts).sort()).toEqual(['caddy', 'octagent', 'postgres'])
  expect(parts.octagent).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    depends_on: { postgres: { condition: 'service_healthy' } },
    stop_grace_period: '20s',
  })
})

test('the chart has probes, time to drain, a budget for disruptions and secrets by name', () => {
  const templates = readdirSync(join(root, 'ops/chart/templates')).map(name =>
    read(`ops/chart/templates/${name}`),
  )
  const all = templates.join('\n')
  for (const part of [
    'startupProbe',
    'livenessProbe',
    'readinessProbe',
    'terminationGracePeriodSeconds',
    'PodDisruptionBudget',
    'secretRef',
    'runAsNonRoot: true',
    'readOnlyRootFilesystem: true',
  ])
    expect(all).toContain(part)
  const values = parse(read('ops/chart/values.yaml')) as Record<string, unknown>
  const used = [...all.matchAll(/\.Values\.(\w+)(?:\.(\w+))?/g)]
  expect(used.length).toBeGreaterThan(10)
  for (const [text, group = '', name] of used) {
    const value = values[group]
    const has =
      name === undefined ? group in values : typeof value === 'object' && value !== null && name in value
    expect([text, has]).toEqual([text, true])
  }
})

const hasHelm = spawnSync('helm', ['version']).status === 0
test.skipIf(!hasHelm)('Helm takes the chart', () => {
  const chart = join(root, 'ops/chart')
  expect(spawnSync('helm', ['lint', '--strict', chart], { encoding: 'utf8' })).toMatchObject({ status: 0 })
  const all = ['--set', 'ingress.enabled=true,serviceMonitor.enabled=true']
  const { stdout } = spawnSync('helm', ['template', 'octagent', chart, ...all], { encoding: 'utf8' })
  const kinds = [...stdout.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind)
  expect(kinds.sort()).toEqual(['Deployment', 'Ingress', 'PodDisruptionBudget', 'Service', 'ServiceMonitor'])
})

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
test.skipIf(!hasSystemd)('systemd reads the unit and finds it closed', () => {
  const { stdout, stderr } = spawnSync(
    'systemd-analyze',
    ['security', '--offline=true', '--threshold=45', join(root, 'ops/octagent.service')],
    { encoding: 'utf8' },
  )
  expect(stdout + stderr).toMatch(/Overall exposure level for octagent.service: [0-4]\.\d/)
  const verified = spawnSync('systemd-analyze', ['verify', join(root, 'ops/octagent.service')], {
    encoding: 'utf8',
  })
  expect(verified.stderr.split('\n').filter(line => line.includes('octagent.service'))).toEqual([])
})

const bwrap = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true']).status === 0
describe.skipIf(!bwrap)(
  'in a root of its own: read-only, without this repository, as a user without rights',
  () => {
    const inRoot = (data: string, environment: Record<string, string>, command: readonly string[]) => {
      const system = ['/usr', '/bin', '/lib', '/lib64', '/etc/ssl', '/etc/resolv.conf', '/etc/hosts'].filter(
        existsSync,
      )
      const packages = Object.keys(manifest.dependencies).map(name => `node_modules/${name}`)
      const parts = [...imageParts('package.json', 'dist'), ...packages]
      return spawn(
        'bwrap',
        [
          ...system.flatMap(path => ['--ro-bind', path, path]),
          ...parts.flatMap(part => ['--ro-bind', join(root, part), `/app/${part}`]),
          ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--bind', data, '/data'],
          ...['--unshare-user', '--uid', '1000', '--gid', '1000', '--unshare-pid', '--die-with-parent'],
          ...['--remount-ro', '/', '--chdir', '/app', '--clearenv', '--cap-drop', 'ALL'],
          ...Object.entries({ PATH: '/usr/local/bin:/usr/bin:/bin', ...environment }).flatMap(pair => [
            '--setenv',
            ...pair,
          ]),
          ...command,
        ],
        { stdio: ['ignore', 'pipe', 'pipe'] },
      )
    }
    const end = (child: ReturnType<typeof spawn>) =>
      new Promise<number | null>(resolve => child.once('exit', resolve))

    test('the program of the image serves, is healthy by its own check, and drains', async () => {
      const data = mkdtempSync(join(tmpdir(), 'octagent-image-'))
      const port = String(await freePort())
      const own = Object.fromEntries(
        (/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '')
          .split(' ')
          .map(pair => pair.split('=') as [string, string]),
      )
      const environment = {
        ...own,
        PORT: port,
        PUBLIC_URL: 'https://agents.example.org',
        OCTAGENT_DRAIN_GRACE: '0',
      }
      const server = inRoot(data, environment, [...execOf('ENTRYPOINT'), ...execOf('\nCMD')])
      let output = ''
      server.stdout.on('data', chunk => {
        output += chunk
      })
      server.stderr.on('data', chunk => {
        output += chunk
      })
      const ended = end(server)
      await expect.poll(() => output, { timeout: 60_000 }).toContain('Listening on')
      expect(await end(inRoot(data, environment, execOf('CMD')))).toBe(0)
      const called = await fetch(`http://127.0.0.1:${port}/cat/api/pet`, {
        headers: { host: 'agents.example.org' },
      })
      expect([403, 200]).toContain(called.status)
      expect(readdirSync(data).sort()).toEqual(expect.arrayContaining(['keys.json', 'store']))
      // bubblewrap waits for its child, which is the first process of its namespace.
      const [child] = spawnSync('pgrep', ['-P', String(server.pid)], { encoding: 'utf8' }).stdout.split('\n')
      const [node] = spawnSync('pgrep', ['-P', String(child)], { encoding: 'utf8' }).stdout.split('\n')
      process.kill(Number(node || child), 'SIGTERM')
      expect(await ended).toBe(0)
      expect(await end(inRoot(data, environment, execOf('CMD')))).toBe(1)
    })
  },
)
