// Stands in for docker where there is no daemon: the recipe of ops/Dockerfile, and containers that are bubblewrap in a root of their own
// with what its second stage copies, its environment, entry point and user without rights. The network is that of the machine.
//   node docker.mjs <state> <repository> build|run|exec|stop|kill|rm|volume …
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const [state, repository, command, ...args] = process.argv.slice(2)
const fail = text => {
  console.error(`docker: ${text}`)
  process.exit(125)
}

const dockerfile = readFileSync(join(repository, 'ops/Dockerfile'), 'utf8')
const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
const words = name => JSON.parse(new RegExp(`^${name} (\\[.*\\])$`, 'm').exec(last)?.[1] ?? '[]')
const { dependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))

/** Paths below the repository that the image has below /app; of the packages, those that are left after `npm prune`. */
const copied = [...last.matchAll(/^COPY --from=build (.*) \S+$/gm)]
  .flatMap(([, paths]) => paths.split(' ').map(path => path.replace('/app/', '')))
  .flatMap(path =>
    path === 'node_modules' ? Object.keys(dependencies).map(name => `node_modules/${name}`) : [path],
  )

const pairs = lines =>
  Object.fromEntries(lines.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
const built = join(state, 'image')
const place = name => join(state, 'containers', name)
const volume = name => {
  const folder = name.startsWith('/') ? name : join(state, 'volumes', name)
  mkdirSync(folder, { recursive: true })
  return folder
}

const start = ({ binds, tmpfs, readOnly, environment, words }, stdio, isDetached) => {
  const system = ['/usr', '/bin', '/lib', '/lib64', '/etc/ssl', '/etc/resolv.conf', '/etc/hosts'].filter(
    existsSync,
  )
  return spawn(
    'bwrap',
    [
      ...system.flatMap(path => ['--ro-bind', path, path]),
      ...copied.flatMap(path => ['--ro-bind', join(repository, path), `/app/${path}`]),
      ...['--proc', '/proc', '--dev', '/dev'],
      ...tmpfs.flatMap(path => ['--tmpfs', path]),
      ...binds.flatMap(([from, to]) => ['--bind', from, to]),
      ...[
        '--unshare-user',
        '--uid',
        '1000',
        '--gid',
        '1000',
        '--unshare-pid',
        '--unshare-ipc',
        '--cap-drop',
        'ALL',
      ],
      ...(readOnly ? ['--remount-ro', '/'] : []),
      ...['--die-with-parent', '--chdir', '/app', '--clearenv'].filter(
        word => !isDetached || word !== '--die-with-parent',
      ),
      ...Object.entries(environment).flatMap(pair => ['--setenv', ...pair]),
      ...words,
    ],
    { stdio, detached: isDetached },
  )
}

const finish = child =>
  child.on('error', error => fail(error.message)).on('exit', code => process.exit(code ?? 137))

/** The options of `run` and `exec`, and the words after them. */
const parse = (options, list) => {
  const { values, tokens } = parseArgs({
    args: list,
    options,
    allowPositionals: true,
    tokens: true,
    strict: false,
  })
  const first = tokens.find(({ kind }) => kind === 'positional')
  if (!first) fail(`${command} what?`)
  const rest = list.slice(first.index)
  // What follows the image belongs to its program.
  return { values: parseArgs({ args: list.slice(0, first.index), options }).values ?? values, rest }
}
const env = { type: 'string', multiple: true, short: 'e', default: [] }

const load = name => {
  if (!existsSync(place(name))) fail(`no container ${name}`)
  return JSON.parse(readFileSync(place(name), 'utf8'))
}
/** The first process within the namespace of a container. */
const inner = pid => {
  const child = of => spawnSync('pgrep', ['-P', String(of)], { encoding: 'utf8' }).stdout.split('\n')[0]
  const first = child(pid)
  return Number(child(first) || first)
}
const isAlive = pid => existsSync(`/proc/${pid}`) && !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
const waitFor = pid => {
  while (isAlive(pid)) spawnSync('sleep', ['0.1'])
}

const commands = {
  build() {
    const missing = copied.filter(path => !existsSync(join(repository, path)))
    if (missing.length > 0) fail(`not built: ${missing.join(', ')}`)
    mkdirSync(join(state, 'containers'), { recursive: true })
    writeFileSync(built, '')
  },
  run() {
    if (!existsSync(built)) fail('no such image')
    const flag = { type: 'boolean', default: false }
    const several = { type: 'string', multiple: true, default: [] }
    const { values, rest } = parse(
      {
        name: { type: 'string' },
        detach: { ...flag, short: 'd' },
        rm: flag,
        'read-only': flag,
        tmpfs: several,
        volume: { ...several, short: 'v' },
        publish: { ...several, short: 'p' },
        'env-file': several,
        env,
      },
      args,
    )
    if (values.name && existsSync(place(values.name))) fail(`the name ${values.name} is in use`)
    const fromFiles = values['env-file'].flatMap(file =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter(line => /^\w+=/.test(line)),
    )
    const own = /^ENV (.*)$/m.exec(last)?.[1].split(' ') ?? []
    const environment = {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ...pairs([...own, ...fromFiles, ...values.env]),
      // One network: what is published is what is listened at.
      ...(process.env.PORT && { PORT: process.env.PORT }),
    }
    const binds = values.volume.map(text => text.split(':')).map(([from, to]) => [volume(from), to])
    if (!binds.some(([, to]) => to === '/data')) binds.push([volume(`anonymous-${process.pid}`), '/data'])
    const what = { binds, tmpfs: values.tmpfs, readOnly: values['read-only'], environment }
    const program = [...words('ENTRYPOINT'), ...(rest.length > 1 ? rest.slice(1) : words('CMD'))]
    if (!values.detach) return void finish(start({ ...what, words: program }, 'inherit', false))
    const log = openSync(join(state, `${values.name}.log`), 'a')
    const child = start({ ...what, words: program }, ['ignore', log, log], true)
    child.on('error', error => fail(error.message))
    child.unref()
    writeFileSync(place(values.name), JSON.stringify({ ...what, pid: child.pid }))
  },
  exec() {
    const { values, rest } = parse({ env }, args)
    const [name, ...program] = rest
    const container = load(name)
    if (!isAlive(container.pid)) fail(`${name} does not run`)
    const asked =
      program[0] === 'healthcheck' ? JSON.parse(/HEALTHCHECK[^[]*CMD (\[.*\])$/m.exec(last)[1]) : program
    const environment = { ...container.environment, ...pairs(values.env) }
    finish(start({ ...container, environment, words: asked }, 'inherit', false))
  },
  kill() {
    const { pid } = load(args[0])
    process.kill(inner(pid), 'SIGKILL')
    waitFor(pid)
  },
  stop() {
    const { pid } = load(args[0])
    process.kill(inner(pid), 'SIGTERM')
    waitFor(pid)
  },
  rm() {
    if (isAlive(load(args[0]).pid)) fail(`${args[0]} runs`)
    rmSync(place(args[0]))
  },
  volume() {
    if (args[0] === 'rm') rmSync(join(state, 'volumes', args[1]), { recursive: true })
  },
}
commands[command] ? commands[command]() : fail(`no command ${command}`)
