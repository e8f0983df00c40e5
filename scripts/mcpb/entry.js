import { connectTo } from '../../cli/connect.ts'

// Who reads the output may stop to, as a client that is closed does.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

connectTo(process.argv.slice(2)).then(
  code => {
    process.exitCode = code
  },
  error => {
    console.error([error?.message, error?.extra?.hint].filter(Boolean).join('\n'))
    process.exitCode = 1
  },
)
