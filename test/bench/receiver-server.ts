/**
 * `receiver-server.ts`, forked: a receiver of webhooks on 127.1.0.1. It answers with the status of the last message,
 * and to each message with its count of requests. Sends its address when it is ready. Ends with its parent.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'

let status = 410
let requests = 0

const server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume().once('end', () => {
    requests++
    response.writeHead(status, { 'content-length': 0 })
    response.end()
  })
})

process.on('message', (message: number) => {
  status = message
  process.send?.({ requests })
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.1.0.1', () => {
  process.send?.({ url: `http://127.1.0.1:${(server.address() as AddressInfo).port}/` })
})
