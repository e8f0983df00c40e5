import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestApp } from 'octagent/testing'
import greeter from './greeter.js'

test('greets by name, and says which field is missing', async () => {
  const app = await openTestApp({ services: [greeter] })
  try {
    assert.deepEqual(await app.call('greeter.greet', { name: 'Ada' }), {
      status: 200,
      body: { greeting: 'Hello, Ada.' },
    })
    const { status, body } = await app.call('greeter.greet', {})
    assert.equal(status, 422)
    assert.match(JSON.stringify(body), /name/)
  } finally {
    await app.close()
  }
})
