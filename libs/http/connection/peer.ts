/** The host at the other end of a connection. */
import { Client, type Dispatcher } from 'undici'

export type Peer = {
  /** IP address that was dialled. Absent behind a proxy, because the proxy dials. */
  address?: string
  /** SHA-256 of the certificate in DER, in hex. Absent without TLS. */
  certificate?: string
}

/** `peer` is that of the current connection of a client, and null before the first one. */
export type Connection = { peer: Peer | null }

/** A handler that reads the peer of its connection when the response begins. */
export type PeerHandler = Dispatcher.DispatchHandler & { connection?: Connection | null }

type Known = string | null | undefined

export const peerOf = (address: Known, certificate: Known): Peer => ({
  ...(address != null && { address }),
  ...(certificate != null && { certificate }),
})

/** Returns a client of undici, which has one connection at a time, and passes that connection to its handlers. */
export function peerClient(origin: URL, options: Client.Options, connection: Connection): Client {
  const client = new Client(origin, options)
  const dispatch = client.dispatch.bind(client)
  client.dispatch = (request, handler: PeerHandler) => {
    handler.connection = connection
    return dispatch(request, handler)
  }
  return client
}
