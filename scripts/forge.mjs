// Where forge is, and a run of it. It comes as an optional package for Linux; elsewhere FORGE or the path.
import { spawn, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The path of forge: as told, else the optional package, else PATH. Undefined where there is none. */
export const forge = () => {
  if (process.env.FORGE) return process.env.FORGE
  try {
    const processor = process.arch === 'x64' ? 'amd64' : process.arch
    const manifest = createRequire(import.meta.url).resolve(
      `@foundry-rs/forge-${process.platform}-${processor}/package.json`,
    )
    return join(dirname(manifest), 'bin', 'forge')
  } catch {
    return spawnSync('forge', ['--version']).status === 0 ? 'forge' : undefined
  }
}

/** Runs forge in the repository and resolves with its status and all that it printed. */
export const runForge = (args, env = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(forge() ?? 'forge', [...args, '--color', 'never'], {
      cwd: root,
      env: { ...process.env, FOUNDRY_CONFIG: `${root}contracts/foundry.toml`, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
    child.once('error', reject)
    child.once('close', status => resolve({ status, output }))
  })
