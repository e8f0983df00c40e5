// Runs commands of the program one after the other: each message is one, and its answer what it printed and ended with. A command that
// is started anew spends most of its time in loading what the last one had loaded.
import { pathToFileURL } from 'node:url'

const program = pathToFileURL('dist/program/main.js').href
let count = 0

// The program listens to its streams anew with each command.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0)

const run = async ({ args, env }) => {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'])
    process[name].write = (chunk, ...rest) => {
      said[name] += chunk
      rest.find(item => typeof item === 'function')?.()
      return true
    }
  process.argv = [process.execPath, 'dist/main.js', ...args]
  process.env = env
  process.exitCode = undefined
  count += 1
  await (await import(`${program}?${count}`)).ended
  const code = process.exitCode ?? 0
  process.exitCode = undefined
  return { code, ...said }
}

process.on('message', message => run(message).then(answer => process.send(answer)))
