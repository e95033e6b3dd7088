/** The routes of the small application without Nest, as the documentation of Express or Hono writes them. */
import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import express from 'express';
import { Hono } from 'hono';
import { z } from 'zod';
import { LIST } from './list.js';

const { PORT, VARIANT, FILE = '' } = process.env;
const NewShip = z.object({ name: z.string().min(1).max(100), berth: z.int() });

function startExpress(): void {
  const app = express();
  app.get('/hello', (_, response) => void response.send('Hello'));
  app.post('/ships', express.json(), (request, response) => {
    const { success, data } = NewShip.safeParse(request.body);
    response.status(success ? 201 : 400).json({ id: 1, ...data });
  });
  app.get('/list', (_, response) => void response.json(LIST));
  app.get('/file', (_, response) => response.sendFile(FILE));
  app.listen(Number(PORT), '127.0.0.1');
}

function startHono(): void {
  const app = new Hono();
  app.get('/hello', (context) => context.text('Hello'));
  app.post('/ships', async (context) => {
    const { success, data } = NewShip.safeParse(await context.req.json());
    return context.json({ id: 1, ...data }, success ? 201 : 400);
  });
  app.get('/list', (context) => context.json(LIST));
  app.get('/file', serveStatic({ path: FILE }));
  serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' });
}

if (VARIANT === 'express') startExpress();
else startHono();
