import { randomBytes } from 'node:crypto'

/** Runs one statement on a connection of its own and resolves to its rows. */
export const ask = async (
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> => {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(sql, values)).rows
  } finally {
    await client.end()
  }
}

/** Makes an empty database on the server at `url` and resolves to the address of the new one. */
export const createDatabase = async (url: string): Promise<string> => {
  const name = `test_${randomBytes(8).toString('hex')}`
  await ask(url, `CREATE DATABASE ${name} TEMPLATE template0`)
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}
