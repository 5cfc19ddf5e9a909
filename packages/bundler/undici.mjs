// The part of undici that services use. Its index also has fetch, WebSocket, caches and mocks: 400 KB that every start would compile.
import api from 'undici/lib/api/index.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import global from 'undici/lib/global.js';

Object.assign(Dispatcher.prototype, api);

export { Agent, buildConnector, Pool, ProxyAgent };

/**
 * @param {string} address
 * @param {Omit<import('undici').Dispatcher.RequestOptions, 'origin' | 'path' | 'method'> & { dispatcher?: import('undici').Dispatcher; method?: import('undici').Dispatcher.HttpMethod }} [options]
 */
export function request(address, { dispatcher = global.getGlobalDispatcher(), method = 'GET', ...options } = {}) {
  const { origin, pathname, search } = new URL(address);
  return dispatcher.request({ ...options, method, origin, path: pathname + search });
}
