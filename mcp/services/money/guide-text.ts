/** The parts of the guide, as its readers ask for them. */
export const topics = ['overview', 'bridge', 'gas', 'stocks', 'prices', 'debugging', 'payments'] as const

export type GuideTopic = (typeof topics)[number]

const texts: Readonly<Record<GuideTopic, (base: string) => string>> = {
  overview: base => `# Money tools

USDC to another chain by one signature, calls without gas, a basket of four stocks in a vault of your own, prices that prediction markets
are decided by, and tools that say why a payment does not work. No account and no key. Reads are free; five calls are paid over x402.
Transactions come back as calldata that you sign: \`{ chainId, calls: [{ to, data, value, gas }], expect, simulation, expires_at }\`,
tried out on the chain before you get them. Nothing here holds your keys, or your money.

| for | over REST | as tools |
|---|---|---|
| USDC from Base to 16 chains, and from Arc to Base | \`GET ${base}/v1/bridge\` | \`bridge_routes\`, \`bridge_quote\`, \`bridge_transfer\` (paid), \`bridge_status\` |
| calls that somebody else pays the gas of | \`POST ${base}/v1/gas\`, \`POST ${base}/v1/gas/solana\` | \`gas_quote\`, \`gas_sponsor\` (paid), \`gas_submit\`, \`gas_solana\` (paid), \`gas_status\` |
| four tokenized stocks in a vault | \`GET ${base}/v1/discover-index\` | \`discover_index\`, \`vault_status\`, \`create_vault\`, \`buy_stocks\`, \`set_weights\`, \`rebalance\`, \`redeem\`, \`basket_signals\` (paid) |
| what up-or-down markets are decided by | \`GET ${base}/v1/predmkt/btc-5m\` | \`price_windows\`, \`price_to_beat\` (paid) |
| a payment that does not work | \`GET ${base}/v1/x402/probe?url=…\` | \`x402_probe\`, \`x402_decode\`, \`authorization_check\`, \`authorization_status\`, \`stablecoin_account\`, \`payment_explain\` |

Every tool answers over MCP at \`${base}/mcp\`, over A2A as a data part (\`{"skill": "bridge", "operation": "bridge_quote", …}\`) and over REST at
\`POST ${base}/tools/{name}\`. Failures are problem documents that name the field; what is refused costs nothing.`,

  bridge: base => `# Bridge

Base to 16 chains, and Arc to Base, by Circle's CCTP. You sign one payment (EIP-3009); in one transaction it is collected and burnt, and
the amount you asked for is minted **to your own address** on the other chain, about 12 seconds later.

\`\`\`sh
curl -s '${base}/v1/bridge/quote?from=base&to=arc&amount=1'
\`\`\`

The same query at \`GET ${base}/v1/bridge\` is a 402 with that price. Its \`payTo\` is the contract of the route, so your signature says where the
money goes. Pay it with a stock x402 client and the call is done: the answer has an \`id\` for \`bridge_status\`. Stock clients refuse more
than $1 until they are told otherwise.

- An address with code (a smart account) is refused as payer unless the same code is on the other chain: the money would come to
  an address that nobody controls.
- \`bridge_status\` also takes the hash of anybody's CCTP transfer, and gives the calldata to finish it yourself when nobody does.
- A route that is off, or whose attestations are late, says so before you pay: \`bridge_routes\`.`,

  gas: base => `# Gas

Calls of an account that has no ETH. The price is max(0.03, 1.3 × the cap of the operation) USDC, and the cap is inside the signature that
you buy. Base, and Polygon with \`chainId: 137\`.

1. \`POST ${base}/v1/gas\` with \`{ sender, calls }\`: a 402, which is the quote.
2. The same, paid: the operation, what to sign, and the authorization (EIP-7702) where the account needs one.
3. \`{ id, signature[, authorization] }\`: it is tried out and submitted, no bundler.

An account that is delegated elsewhere is refused unless \`redelegate\` is true. For a smart account of EntryPoint 0.8 send
\`{ userOperation }\` unsigned instead of \`{ sender, calls }\`. The same address speaks ERC-7677
(\`pm_getPaymasterStubData\`, \`pm_getPaymasterData\`), so it is the paymaster of a stock viem client with a paying fetch.

What was paid for and could not be submitted stays yours: the same \`id\` takes a new quote. On Solana,
\`POST ${base}/v1/gas/solana\` takes a transaction with the sponsor as fee payer.`,

  stocks: base => `# Stocks

A vault of your own (ERC-4626) holds four tokenized stocks on Base. Its address follows from yours; nobody else can move anything
in it, and nobody can change that. Purchases are bounded by the price feeds; exits never depend on them.

\`discover_index\` → \`buy_stocks\` (from 1 USDC; opens the vault where there is none) → \`vault_status\` → \`set_weights\`, \`rebalance\` → \`redeem\`,
to USDC or to the stocks themselves.

\`\`\`sh
curl -s ${base}/v1/discover-index
\`\`\`

The stocks are for persons outside the United States. Feeds stand still while the exchange is closed; the answers say how old each price is. This
service gives calldata, and no advice.`,

  prices: base => `# Prices

Up-or-down markets for btc, eth, sol and xrp, over 5 and 15 minutes, are decided by the 60-second average at the start of the window.

\`\`\`sh
curl -s ${base}/v1/predmkt
\`\`\`

lists the windows, and whether the price of each is known; \`GET ${base}/v1/predmkt/btc-5m\` sells it for 0.004 USDC, with the live
price, the distance, the seconds left and the token ids; \`start=\` tells the outcome of a window that is over. What is not known is not sold.
\`GET ${base}/v1/basket-signals\` sells the signals of the four stocks for 0.007 USDC.`,

  debugging: base => `# Why does the payment not work?

Each of these names the **first** reason, free.

| you have | ask |
|---|---|
| the address of a priced endpoint | \`x402_probe\`: does the unpaid call, and says whether a stock client would pay |
| a header or a message | \`x402_decode\` |
| a signed authorization | \`authorization_check\`: domain, times, balance, nonce, block list, signature of any kind of account |
| a nonce | \`authorization_status\`: unused, used by which transaction, or cancelled |
| an address | \`stablecoin_account\` |
| a transaction | \`payment_explain\`: who paid whom, and whether it satisfies what you expected |

\`\`\`sh
curl -s '${base}/v1/x402/probe?url=https://api.example.com/paid'
\`\`\``,

  payments: base => `# Paying

A call that costs something answers 402 first, with what to sign; a stock x402 client signs and sends it again. Nothing is charged for what is
refused. The same payment, sent again, gets the same answer. \`${base}/openapi.json\` has the prices.

| tool | price |
|---|---|
| \`bridge_transfer\` | the quote: what arrives, the fees of the route, and a margin |
| \`gas_sponsor\`, \`gas_solana\` | max(0.03, 1.3 × the cap) USDC |
| \`price_to_beat\` | 0.004 USDC |
| \`basket_signals\` | 0.007 USDC |`,
}

/** A part of the guide in Markdown, with addresses under `base`. */
export const guideText = (topic: GuideTopic, base: string): string => texts[topic](base)
