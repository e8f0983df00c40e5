import { execFile } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { readConfig, readSettings } from '../app/config.ts'
import { services } from '../app/services.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { openBubblewrap } from '../mcp/ports/sandbox/bubblewrap.ts'
import { sandboxSettings } from '../mcp/ports/sandbox/config.ts'
import { openLandlock } from '../mcp/ports/sandbox/landlock.ts'
import { readArguments } from './arguments.ts'

const names = ['numpy', 'pandas', 'scipy'] as const

/** Versions that run on Python 3.10 to 3.13. */
const wheels = ['numpy==2.2.6', 'pandas==2.2.3', 'scipy==1.15.3']

const runFile = promisify(execFile)

const run = async (command: string, args: readonly string[]): Promise<void> => {
  try {
    await runFile(command, args, { env: { ...process.env, LC_ALL: 'C' }, maxBuffer: 64 << 20 })
  } catch (cause) {
    const { stderr = '', message } = cause as Error & { stderr?: string }
    const lines = (stderr || message).trim().split('\n')
    throw new ToolError('unavailable', `${command} failed: ${lines.at(-1)}`, { cause })
  }
}

/** True when the packages of Debian are made for an interpreter. */
const isDebian = (python: string): boolean =>
  existsSync(python) &&
  /^\/usr\/bin\/python3[.\d]*$/.test(realpathSync(python)) &&
  ['apt-get', 'dpkg-deb'].every(name => existsSync(`/usr/bin/${name}`))

/** Shared libraries in a folder, of which those that are to win come last: Debian chooses between them by links that are made later. */
const librariesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(({ name }) => /\.so(?:\.|$)/.test(name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter(path => !path.includes('-packages/'))
    .sort((one, other) => Number(one.includes('openblas')) - Number(other.includes('openblas')))

/** Unpacks Debian's packages: apt checks the signatures, and nothing of the system changes. */
const unpackDebian = async (staging: string): Promise<void> => {
  const archives = join(staging, 'archives')
  const files = join(staging, 'files')
  mkdirSync(join(archives, 'partial'), { recursive: true })
  await run('apt-get', [
    ...['install', '--yes', '--download-only', '--reinstall', '--no-install-recommends'],
    ...['-o', `Dir::Cache::archives=${archives}`, '-o', 'Debug::NoLocking=1', '-o', 'APT::Sandbox::User='],
    ...names.map(name => `python3-${name}`),
  ])
  // What is only for compiling is left out.
  const packages = readdirSync(archives).filter(name => name.endsWith('.deb') && !name.includes('-dev_'))
  for (const name of packages) await run('dpkg-deb', ['--extract', join(archives, name), files])
  renameSync(join(files, 'usr/lib/python3/dist-packages'), join(staging, 'modules'))
  const libraries = join(staging, 'libraries')
  mkdirSync(libraries)
  for (const path of librariesIn(join(files, 'usr/lib')))
    cpSync(path, join(libraries, basename(path)), { verbatimSymlinks: true, force: true })
  // By an absolute path, which is another one below another root.
  const pytz = join(staging, 'modules/pytz/__init__.py')
  const found = 'pathlib.Path(os.environ.get("PYTZ_TZDATADIR", "/usr/share/zoneinfo"), "$1")'
  if (existsSync(pytz))
    writeFileSync(
      pytz,
      readFileSync(pytz, 'utf8').replace(/pathlib\.Path\("\/usr\/share\/zoneinfo\/([\w.]+)"\)/g, found),
    )
  for (const folder of [staging, join(staging, 'modules'), libraries]) chmodSync(folder, 0o755)
  for (const folder of [archives, files]) rmSync(folder, { recursive: true })
}

/** Lists the importable modules of a folder, tried in a sandbox. */
const findImports = async (python: string, packages: string): Promise<readonly string[]> => {
  for (const open of [openBubblewrap, openLandlock]) {
    const probe = await open({ python, packages })
    if ('sandbox' in probe) return probe.sandbox.facts.modules
  }
  throw new ToolError('unavailable', 'No sandbox works on this machine.', {
    hint: 'octagent doctor says why; docs/sandbox.md says what it needs.',
  })
}

const install = async (): Promise<{ folder: string; imports: string[] }> => {
  const { python, packages: folder } = readSettings(readConfig(process.env, services), sandboxSettings)
  if (!isDebian(python))
    throw new ToolError(
      'unavailable',
      `${python} is not the Python of Debian, whose packages this installs.`,
      {
        hint: `Run: ${python} -m pip install --only-binary=:all: --target ${folder}/modules ${wheels.join(' ')}`,
      },
    )
  mkdirSync(dirname(folder), { recursive: true })
  const staging = mkdtempSync(`${folder}-`)
  try {
    await unpackDebian(staging)
    const modules = await findImports(python, staging)
    const missing = names.filter(name => !modules.includes(name))
    if (missing.length > 0)
      throw new ToolError('unavailable', `Code cannot import ${missing.join(', ')} from what was installed.`)
    rmSync(folder, { recursive: true, force: true })
    renameSync(staging, folder)
    return { folder, imports: modules.filter(name => names.some(own => own === name)) }
  } catch (error) {
    rmSync(staging, { recursive: true, force: true })
    throw error
  }
}

/** `octagent sandbox install`: packages for code of callers, in a folder that runs see read-only. */
export const manageSandbox = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, {})
  if (positionals.join(' ') !== 'install')
    throw new ToolError('invalid_input', 'sandbox: say what to do.', { hint: 'octagent sandbox install' })
  const { folder, imports } = await install()
  if (values.json) console.log(JSON.stringify({ folder, imports }))
  else
    console.log(
      `Code can import ${imports.join(', ')}, from ${folder}. A server that runs takes them up when it starts again.`,
    )
  return 0
}
