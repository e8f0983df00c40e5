import { createServer } from 'node:http'
import { enter } from '../contestant.ts'

/** The least that Node can do: the JSON of the argument, made anew for each request, whose body is read and parsed. */
const answer = JSON.parse(process.argv[2] ?? 'null')
enter(
  createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', chunk => chunks.push(chunk))
    req.on('end', () => {
      if (chunks.length > 0) JSON.parse(Buffer.concat(chunks).toString())
      const text = JSON.stringify(answer)
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
      res.end(text)
    })
  }),
)
