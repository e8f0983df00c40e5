import { execFile } from 'node:child_process'

type Shell = {
  /** Where the program runs that the commands speak to. */
  url: string
  dir: string
  environment: Record<string, string>
  /** What a command does instead of itself: bodies of bash functions by name. */
  instead: Record<string, string>
}

const separator = '\u001e'

/**
 * Runs a block of a document as it is printed, with the address of a running program in place of the default one. Resolves to
 * what each `curl` answered. Rejects when a command fails, or an answer is a status of 400 or more.
 */
export const runShell = (text: string, { url, dir, environment, instead }: Shell): Promise<string[]> => {
  const functions = {
    // A price is no failure: documents show a 402 on purpose.
    curl: `local answer
answer=$(command curl --fail-with-body --show-error --max-time 60 "$@") || [[ $answer == *'"payment_required"'* ]] || { printf '%s' "$answer"; return 22; }
printf '%s\\x1e' "$answer"`,
    ...instead,
  }
  const script = [
    'set -euo pipefail',
    ...Object.entries(functions).map(([name, body]) => `${name}() {\n${body}\n}`),
    text.replaceAll('http://127.0.0.1:8402', url),
  ].join('\n')
  return new Promise((resolve, reject) => {
    const options = {
      cwd: dir,
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment },
      timeout: 300_000,
      maxBuffer: 16 * 1024 * 1024,
    }
    execFile('bash', ['-c', script], options, (failure, stdout, stderr) => {
      if (failure) reject(new Error(`${text}\nended with ${failure.code}:\n${stdout}${stderr}`))
      else resolve(stdout.split(separator).slice(0, -1))
    })
  })
}

/** What a protocol calls a failure inside an answer of status 200, if there is one. */
export const failureIn = (answer: string): unknown => {
  if (!/^\s*[{[]/.test(answer)) return undefined
  const { error, result, code } = JSON.parse(answer) as {
    error?: unknown
    code?: string
    result?: { isError?: true; status?: { state?: string } }
  }
  if (code === 'payment_required') return undefined
  if (error !== undefined) return error
  return result?.isError === true || /failed|rejected/i.test(result?.status?.state ?? '') ? result : undefined
}
