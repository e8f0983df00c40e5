import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const runFile = promisify(execFile)

/** Paths Python needs to run: folders and files of a virtual environment, and the prefix of its library. */
export type PythonInstallation = { folders: readonly string[]; prefix: string }

/** Of the system and of a prefix like it: no settings, no sources, nothing that was put there for others. */
const isNeeded = (name: string): boolean => /^(?:bin|lib|lib32|lib64|libx32|share)$/.test(name)

const foldersIn = (prefix: string): string[] =>
  readdirSync(prefix)
    .filter(name => isNeeded(name) || name === 'pyvenv.cfg')
    .map(name => join(prefix, name))

/** Asks a Python where it lies. Its user may have set it up in any way, so only itself knows. */
export const findInstallation = async (python: string): Promise<PythonInstallation | { reason: string }> => {
  try {
    const { stdout } = await runFile(
      python,
      ['-I', '-S', '-c', 'import sys; print(sys.prefix, sys.base_prefix, sep="\\n")'],
      { timeout: 20_000, env: {} },
    )
    const [own = '', prefix = ''] = stdout.trim().split('\n')
    const prefixes = new Set(['/usr', dirname(dirname(python)), own, prefix])
    const folders = [...prefixes].filter(existsSync).flatMap(foldersIn)
    const links = ['/etc/alternatives'].filter(existsSync)
    return { folders: [...new Set([...folders, ...links])], prefix }
  } catch (problem) {
    return {
      reason: `${python}: ${problem instanceof Error ? problem.message.split('\n')[0] : String(problem)}`,
    }
  }
}
