# OpenStack Swift in one process: its three storage servers and the proxy with the S3 interface, over one disk.
#   python3 object-store.py FOLDER PORT
# FOLDER has swift.conf and a configuration of each of the four servers. Each start writes the rings into it.
import eventlet
eventlet.monkey_patch(os=False)
import os, sys
from array import array
from eventlet import listen, spawn, wsgi
from swift.common import utils

folder, port = sys.argv[1], int(sys.argv[2])
host = '127.0.0.1'
utils.SWIFT_CONF_FILE = os.path.join(folder, 'swift.conf')

from swift.common.ring import RingData
from swift.common.wsgi import SwiftHttpProtocol, loadapp


class Memory:
    """Replaces memcached, which one process does not need."""
    kept = {}

    def get(self, key, *_, **__):
        return self.kept.get(key)

    def set(self, key, value, *_, **__):
        self.kept[key] = value

    def delete(self, key, *_, **__):
        self.kept.pop(key, None)

    def incr(self, key, delta=1, *_, **__):
        self.kept[key] = self.kept.get(key, 0) + delta
        return self.kept[key]


def with_cache(app, memory=Memory()):
    def answer(env, start):
        env['swift.cache'] = memory
        return app(env, start)
    return answer


class Silent:
    def write(self, *_):
        pass
    info = debug = write


utils.validate_configuration()
listening = {kind: listen((host, 0)) for kind in ['object', 'container', 'account']}
for kind, socket in listening.items():
    at = {'ip': host, 'port': socket.getsockname()[1], 'device': 'disk'}
    disk = dict(at, id=0, region=1, zone=1, weight=1, meta='', replication_ip=host, replication_port=at['port'])
    RingData([array('H', [0] * 4)], [disk], 30).save(os.path.join(folder, kind + '.ring.gz'))
apps = {kind: loadapp(os.path.join(folder, kind + '.conf')) for kind in [*listening, 'proxy']}
apps['proxy'] = with_cache(apps['proxy'])
listening['proxy'] = listen((host, port), backlog=512)
serving = [
    spawn(wsgi.server, socket, apps[kind], Silent(), protocol=SwiftHttpProtocol, log_output=False, max_size=512)
    for kind, socket in listening.items()
]
for one in serving:
    one.wait()
