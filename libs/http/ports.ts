/**
 * Allows requests to the ports 80, 443, and all from 1024 except those of well-known services other than HTTP, so
 * that a page cannot cause a connection to a database, mail or chat server. The table contains all rows above 1023 of
 * the "bad port" list of the Fetch standard, and similar ones.
 */
const notHttp: Record<number, string> = {
  1080: 'socks',
  1194: 'openvpn',
  1433: 'ms sql',
  1521: 'oracle',
  1719: 'h.323 gatekeeper',
  1720: 'h.323',
  1723: 'pptp',
  1883: 'mqtt',
  2049: 'nfs',
  2181: 'zookeeper',
  3268: 'ldap global catalogue',
  3269: 'ldap global catalogue',
  3306: 'mysql',
  3389: 'remote desktop',
  3659: 'apple sasl',
  4045: 'nfs lock manager',
  4190: 'managesieve',
  4222: 'nats',
  5060: 'sip',
  5061: 'sip',
  5222: 'xmpp',
  5269: 'xmpp',
  5432: 'postgres',
  5672: 'amqp',
  5900: 'vnc',
  6000: 'x11',
  6379: 'redis',
  6566: 'scanner access',
  6660: 'irc',
  6661: 'irc',
  6662: 'irc',
  6663: 'irc',
  6664: 'irc',
  6665: 'irc',
  6666: 'irc',
  6667: 'irc',
  6668: 'irc',
  6669: 'irc',
  6679: 'osaut',
  6697: 'irc',
  8883: 'mqtt',
  9042: 'cassandra',
  9092: 'kafka',
  9100: 'printer',
  10080: 'amanda',
  11211: 'memcached',
  27017: 'mongodb',
}

/** Returns why the port must not be requested; null: it is allowed. */
export function refusePort(port: number): string | null {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return `${port} is not a port`
  if (port === 80 || port === 443) return null
  if (port < 1024) return `port ${port} is reserved for other services`
  return Object.hasOwn(notHttp, port) ? `port ${port} is for ${notHttp[port]}` : null
}
