export { services } from './app/services.ts'
