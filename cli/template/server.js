import { createApp, readConfig } from 'octagent'
import greeter from './greeter.js'

const services = [greeter]
const app = await createApp({ services, config: readConfig(process.env, services) })
console.log(`Serving at ${await app.listen()}`)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close().then(() => process.exit()))
