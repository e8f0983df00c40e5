// Generated from basket/TestMarket.sol by scripts/contracts.mjs with solc 0.8.37.
// biome-ignore-all format: generated

export const testPriceFeed = {
  abi: [
    {"inputs":[{"internalType":"int256","name":"answer_","type":"int256"}],"stateMutability":"nonpayable","type":"constructor"},
    {"inputs":[],"name":"answer","outputs":[{"internalType":"int256","name":"","type":"int256"}],"stateMutability":"view","type":"function"},
    {"inputs":[],"name":"decimals","outputs":[{"internalType":"uint8","name":"","type":"uint8"}],"stateMutability":"view","type":"function"},
    {"inputs":[],"name":"latestRoundData","outputs":[{"internalType":"uint80","name":"","type":"uint80"},{"internalType":"int256","name":"","type":"int256"},{"internalType":"uint256","name":"","type":"uint256"},{"internalType":"uint256","name":"","type":"uint256"},{"internalType":"uint80","name":"","type":"uint80"}],"stateMutability":"view","type":"function"},
    {"inputs":[],"name":"roundId","outputs":[{"internalType":"uint80","name":"","type":"uint80"}],"stateMutability":"view","type":"function"},
    {"inputs":[{"internalType":"int256","name":"answer_","type":"int256"},{"internalType":"uint256","name":"time","type":"uint256"}],"name":"set","outputs":[],"stateMutability":"nonpayable","type":"function"},
    {"inputs":[],"name":"startedAt","outputs":[{"internalType":"uint256","name":"","type":"uint256"}],"stateMutability":"view","type":"function"},
    {"inputs":[],"name":"updatedAt","outputs":[{"internalType":"uint256","name":"","type":"uint256"}],"stateMutability":"view","type":"function"},
  ],
  /** Deploys TestPriceFeed anywhere, with the arguments of its constructor behind. */
  bytecode: '0x6080604052348015600e575f5ffd5b506040516102c53803806102c5833981016040819052602b916085565b603381426038565b5060d1565b600281905560018190555f82815560038054909190605d906001600160501b0316609b565b91906101000a8154816001600160501b0302191690836001600160501b031602179055505050565b5f602082840312156094575f5ffd5b5051919050565b5f6001600160501b0382166002600160501b0319810160c857634e487b7160e01b5f52601160045260245ffd5b60010192915050565b6101e7806100de5f395ff3fe608060405234801561000f575f5ffd5b506004361061007a575f3560e01c80638cd221c9116100585780638cd221c9146100bc578063a22c5540146100e7578063f21f537d146100fc578063feaf968c14610105575f5ffd5b8063313ce5671461007e5780637519ab501461009d57806385bb7d69146100b4575b5f5ffd5b610086600881565b60405160ff90911681526020015b60405180910390f35b6100a660025481565b604051908152602001610094565b6100a65f5481565b6003546100cf906001600160501b031681565b6040516001600160501b039091168152602001610094565b6100fa6100f5366004610191565b610142565b005b6100a660015481565b6003545f54600154600254604080516001600160501b0390951680865260208601949094528401919091526060830152608082015260a001610094565b600281905560018190555f82815560038054909190610169906001600160501b03166101b1565b91906101000a8154816001600160501b0302191690836001600160501b031602179055505050565b5f5f604083850312156101a2575f5ffd5b50508035926020909101359150565b5f6001600160501b0382166001600160501b0381036101de57634e487b7160e01b5f52601160045260245ffd5b6001019291505056',
} as const
