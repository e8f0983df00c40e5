import { createServer } from 'node:http'
import express from 'express'
import { enter } from '../contestant.ts'

/** A bare express handler that answers GET and POST with the JSON of the argument. */
const answer = JSON.parse(process.argv[2] ?? 'null')
const app = express()
app.get('/answer', (_req, res) => void res.json(answer))
app.post('/answer', express.json(), (_req, res) => void res.json(answer))
enter(createServer(app))
