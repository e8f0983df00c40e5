import { pad } from 'viem'
import { blockHash } from './evm-chain.ts'

/** The first transfer on Ethereum, of 7 August 2015, as nodes tell it today: its receipt does not say how it ended. */
export const firstTransfer = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'
const first = {
  blockNumber: '0xb443',
  blockHash: blockHash(1, 46_147),
  from: '0xa1e4380a3b1f749673e270229993ee55f35663b4',
  to: '0x5df9b87991262f6ba471f09758cde1c0fc1de734',
  transactionIndex: '0x0',
  type: '0x0',
}
export const theFirstTransfer = {
  transaction: {
    ...first,
    hash: firstTransfer,
    nonce: '0x0',
    value: '0x7a69',
    gas: '0x5208',
    gasPrice: '0x2d79883d2000',
    input: '0x',
  },
  receipt: {
    ...first,
    transactionHash: firstTransfer,
    contractAddress: null,
    cumulativeGasUsed: '0x5208',
    effectiveGasPrice: '0x2d79883d2000',
    gasUsed: '0x5208',
    logs: [],
    root: pad('0x96a8e009d2b88b1483e6941e6812e32263b05683fac202abc622a3e31aed1957', { size: 32 }),
  },
}

/** The making of an ERC-721 token on Arbitrum, with the fields that its nodes add. */
export const minting = '0x242b221fe35034cc9d1d76a18421f294620ceff8422ac1775bcaad6d65717627'
const mint = {
  blockNumber: '0x821651f',
  blockHash: blockHash(42161, 0x821651f),
  from: '0xf5e3aa7fb00056ccedc4efcfa56cab31fc14c712',
  to: '0x9e6ef7f75ad88d4edb4c9925c94b769c5b0d6281',
  transactionIndex: '0x3',
  type: '0x2',
}
export const theMinting = {
  transaction: {
    ...mint,
    hash: minting,
    nonce: '0x2a',
    value: '0x2386f26fc10000',
    gas: '0xb8c86',
    gasPrice: '0x750b610',
    maxFeePerGas: '0x80befc0',
    maxPriorityFeePerGas: '0x0',
    input: '0x1249c58b',
  },
  receipt: {
    ...mint,
    transactionHash: minting,
    contractAddress: null,
    cumulativeGasUsed: '0xc65e8',
    effectiveGasPrice: '0x750b610',
    gasUsed: '0x5c463',
    gasUsedForL1: '0x3f121',
    l1BlockNumber: '0x1168c8b',
    l1Fee: null,
    logs: [
      {
        address: '0xcbd22a0170bd2f642aba5b91b75ac95945368199',
        topics: [
          '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
          '0x0000000000000000000000000000000000000000000000000000000000000000',
          '0x000000000000000000000000f5e3aa7fb00056ccedc4efcfa56cab31fc14c712',
          '0x0000000000000000000000000000000000000000000000000000000000000692',
        ],
        data: '0x',
        logIndex: '0x2',
        removed: false,
      },
      {
        address: '0x9e6ef7f75ad88d4edb4c9925c94b769c5b0d6281',
        topics: ['0x055a181b27c0ef897e8c559755721e45a372d5ac946a2ae3905b8a4364e8745b'],
        data: `0x${'00'.repeat(160)}`,
        logIndex: '0x3',
        removed: false,
      },
    ],
    status: '0x1',
  },
}
