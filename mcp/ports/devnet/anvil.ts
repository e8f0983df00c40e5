import { spawn } from 'node:child_process'
import { ToolError } from '../../kernel/error.ts'

/** A running anvil. `ended` resolves when it is gone, whoever ended it. */
export type Anvil = { rpc: string; ended: Promise<void>; stop(): Promise<void> }

/**
 * A shell stands between: its standard input is a pipe that only this process holds, so it ends when this process does,
 * also by a crash or `kill -9`, and then the shell kills the chain.
 */
export const guardScript = `exec 3<&0
"$@" </dev/null 3<&- &
chain=$!
(while read -r _; do :; done; kill -9 "$chain") <&3 >/dev/null 2>&1 &
watch=$!
exec 3<&-
wait "$chain"
status=$?
kill "$watch"
exit "$status"`

/** Starts anvil on a free loopback port. It makes no accounts of its own. Throws `unavailable` when it does not start. */
export const startAnvil = async (binary: string, chainId: number, startMs = 30_000): Promise<Anvil> => {
  const flags = ['--host', '127.0.0.1', '--port', '0', '--chain-id', String(chainId), '--accounts', '0']
  const child = spawn('sh', ['-c', guardScript, 'sh', binary, ...flags, '--no-cors', '--color', 'never'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C goes to the whole group; the chain has to outlive the server's last settlements.
    detached: true,
  })
  const { stdin, stdout, stderr } = child
  // Without a file descriptor left there are no pipes, whatever the types say.
  if (!stdin || !stdout || !stderr) {
    child.on('error', () => undefined)
    throw new ToolError('unavailable', 'The local chain does not start: too many files are open.')
  }
  const ended = new Promise<void>(resolve => {
    child.once('exit', () => {
      stdin.destroy()
      resolve()
    })
    child.on('error', () => resolve())
  })
  for (const pipe of [stdin, stdout, stderr]) pipe.on('error', () => undefined)
  const stop = async () => {
    // Where nothing else keeps this process, it has to stay for the end of the chain, and for what closes after it.
    child.ref()
    stdin.destroy()
    await ended
  }

  return new Promise((resolve, reject) => {
    let output = ''
    const fail = (reason: string) => {
      clearTimeout(timer)
      stdin.destroy()
      reject(new ToolError('unavailable', `The local chain does not start: ${reason}`))
    }
    const timer = setTimeout(() => fail('anvil did not listen in time.'), startMs)
    const listen = (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-4_000)
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(output)?.[1]
      if (!port) return
      clearTimeout(timer)
      stdout.off('data', listen)
      // Read on and dropped: a full pipe would stop the chain.
      stdout.resume()
      child.unref()
      for (const pipe of [stdin, stdout, stderr]) (pipe as { unref?(): void }).unref?.()
      resolve({ rpc: `http://127.0.0.1:${port}`, ended, stop })
    }
    stdout.on('data', listen)
    stderr.on('data', chunk => {
      output = `${output}${chunk}`.slice(-4_000)
    })
    child.once('error', () => fail('a shell ("sh") is needed to run anvil.'))
    child.once('exit', () => fail(output.trim().split('\n').at(-1) || 'anvil ended at once.'))
  })
}
