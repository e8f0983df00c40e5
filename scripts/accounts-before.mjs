// Makes test/accounts/before: a data folder of the program as it is now, from which test/accounts/moving.test.ts moves. What is there
// was made before accounts of the services became one. After a release, run it and keep the folder under the version, as 0.3.0.
import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const server = await createServer({
  root,
  server: { middlewareMode: true },
  appType: 'custom',
  logLevel: 'error',
})
const { makeBefore } = await server.ssrLoadModule('/test/accounts/make-before.ts')
await makeBefore(`${root}test/accounts/before`)
await server.close()
process.exit(0)
