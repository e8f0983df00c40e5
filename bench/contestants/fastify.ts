import fastify from 'fastify'
import { contest } from '../contestant.ts'

/** A bare fastify that answers GET and POST with the JSON of the argument. */
const answer = JSON.parse(process.argv[2] ?? 'null')
const app = fastify()
app.get('/answer', async () => answer)
app.post('/answer', async () => answer)
contest(await app.listen({ port: 0, host: '127.0.0.1' }), {}, () => app.close())
