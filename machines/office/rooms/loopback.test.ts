import { expect, it } from 'vitest';
import { isLoopback, isNeighbour, listenFailure, officeUrl } from './loopback.ts';

it.each(['127.0.0.1', '127.1.2.3', 'localhost', '::1', 'LOCALHOST'])('%s is loopback', (host) => {
  expect(isLoopback(host)).toBe(true);
});
it.each(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.evil.example', 'localhost.example', ''])(
  '%s is not loopback',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);
it.each([
  {},
  { host: '127.0.0.1:3000' },
  { host: 'localhost:1', origin: 'http://localhost:8080' },
  { host: '[::1]:1' },
])('a request with %j comes from a program or page of this machine', (headers) => {
  expect(isNeighbour(headers)).toBe(true);
});
it.each([
  { host: '127.0.0.1:3000', origin: 'https://evil.example' },
  { host: 'rebound.example:3000' },
  { host: 'localhost', origin: 'null' },
  { host: 'localhost', origin: 'http://localhost.evil.example' },
  { host: 'localhost', origin: 'http://localhost:1@evil.example' },
])('a request with %j comes from a stranger', (headers) => {
  expect(isNeighbour(headers)).toBe(false);
});
it('the failure to listen says why a port cannot be had', () => {
  expect(listenFailure('127.0.0.1', 3000, 'EADDRINUSE')).toMatch(
    /^Port 3000 on 127.0.0.1 is already in use$/,
  );
  expect(listenFailure('127.0.0.1', 3000, 'EMFILE')).toContain('EMFILE');
});
it('the address of a listener has brackets around IPv6', () => {
  expect([officeUrl('::1', 1), officeUrl('127.0.0.1', 2)]).toEqual(['http://[::1]:1', 'http://127.0.0.1:2']);
});
